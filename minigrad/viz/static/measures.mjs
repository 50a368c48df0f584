// What pictures are measured with, once for both layouts: that of the widget (layered.mjs, layout.mjs and those that draw) and that of still
// pictures, for which minigrad/viz/picture/measures.py reads this file. So each line is a name and a value as JSON has it. Pixels, unless said.

// layers of boxes
export const BESIDE = 20; // between boxes of one layer
export const THREAD = 12; // and beside the bend of an edge that passes
export const GAP = 36; // between layers: an arrowhead at each end, or what flows
export const ENTRY = -0.12; // of its width: edges meet boxes left of the middle, clear of the flag on the corner
export const SPREAD = 0.36; // of a box's width: over how much of it the edges that come in are spread, at most
export const LANE = 10; // between edges that come in
export const SPREAD_LANES = 2.4; // lanes for each of them
export const MOST_STRANDS = 4; // edges between the same two boxes, each of which is drawn; more are one
export const SWEEPS = 10; // over all layers: to order them, and twice as often to place them
export const MOST_EXCHANGES = 8; // of neighbours in a layer, for each of them, while it is put into order
export const MOST_ORDERED_TWICE = 400; // boxes and bends, which are ordered from two beginnings; more from one
export const MOST_APART = 1.5; // times as far as the farthest: what is alike moves up to be level, all of it together
export const SHARED = 2; // edges' worth: what those pay together, to which one result leads, for a trunk that grows longer
export const BEND_WEIGHT = 4; // of a bend's wish to be in line with the next: bends of one edge line up
export const LOOSE_WEIGHT = 0.02; // of what a bend and a box, or a weight and its use, wish of each other: a chain of boxes beside it stays straight
export const FREE_WEIGHT = 0.1; // of the wish to stay, where there is no other

// groups
export const MARGIN = 14; // around the picture
export const HEAD = 34; // of an open group: above its boxes
export const AROUND = 14; // on their sides
export const FOOT = 18; // and below, where signs hang
export const CLOSE = 6; // on the sides and below, where a group holds one box: its frame is little more than its title
export const CLOSED_LEAST = 150; // width of a closed group
export const CLOSED_MOST = 250;
export const CLOSED_HEIGHT = 58; // its title, or three rows while something runs in it
export const TITLE_ROOM = 58; // of an open group's title beside its name and its kind
export const TITLE_MOST = 400; // width of these, and of an open group on their account
export const MOST_PLACED_AGAIN = 200; // edges of a picture that is laid out a third time, to have fewer crossings
export const MOST_GROWN = 120; // by how much a frame grows for its title, rather than have edges turn aside
export const GROWTH_COST = 10; // pixels by which edges turn aside, rather than have a frame grow by one
export const TURN = 24; // down to its boxes, where they do
export const CLOSED_ROOM = 56; // of a closed one's

// boxes and edges
export const MONO_WIDTH = 7.3; // of a character in a row or a chip
export const NAME_LETTER = 8.2; // of one in the title of a group, which is bold
export const FLAG_WIDTH = 7; // of one in a flag
export const CHIP_HEIGHT = 20;
export const CHIP_ROUND = 18; // what a chip's round ends take
export const PAD = 11; // from a box's edge to what is written in it
export const NAME_ROW = 25; // height of the row with the name
export const ROW = 16; // and of the others
export const MAP_WIDTH = 56; // of a heat map in a row
export const MAP_HEIGHT = 12;
export const BESIDE_TIP = 7; // from an edge's end to what tells it from others between the same two boxes
export const ABOVE_BOX = 14; // and that above the box: clear of its flag
export const BESIDE_MAP = 8; // between a heat map and what stands before it
