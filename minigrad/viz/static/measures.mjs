// What pictures are measured with, once for both layouts: that of the widget (layered.mjs, modules.mjs and those that draw) and that of still
// pictures, for which minigrad/viz/picture/measures.py reads this file. So each line is a name and a value as JSON has it. Pixels, unless said;
// of two values the first is for pictures from left to right, the second for those from top to bottom.

// layers of boxes
export const BESIDE = [26, 30]; // between boxes of one layer
export const THREAD = 12; // and beside the bend of an edge that passes
export const GAP = [46, 44]; // between layers, at least: an arrowhead at each end, and downwards what flows
export const ARROWS = 26; // beside what flows along an edge from left to right
export const ENTRY = -0.12; // of its width: downwards edges meet boxes left of the middle, clear of the flag on the corner
export const SPREAD = [0.64, 0.36]; // of a box's side: over how much of it the edges that come in are spread, at most
export const SPREAD_LANES = 2.4; // lanes for each of them, downwards
export const SWEEPS = 10; // over all layers: to order them, and twice as often to place them
export const BEND_WEIGHT = 4; // of a bend's wish to be in line with the next: bends of one edge line up
export const LOOSE_WEIGHT = 0.02; // of what a bend and a box, or a weight and its use, wish of each other: a chain of boxes beside it stays straight
export const FREE_WEIGHT = 0.1; // of the wish to stay, where there is no other

// bands of layers
export const LANE = 10; // between edges that go from band to band
export const GUTTER = 34; // between bands, beside the lanes
export const PASSED = 6; // lanes: what an edge that passes a cut counts where the best cut is looked for
export const MOST_BANDS = 4;
export const BETTER = 1.25; // times as large as with one band less, or a band more is not worth it
export const CROWDED = 1.08; // the same for an edge more that goes from band to band

// groups, and the choice of a direction
export const MARGIN = 14; // around the picture
export const HEAD = 40; // of an open group: above its boxes
export const AROUND = 14; // on their sides
export const FOOT = 22; // and below, where signs hang
export const CLOSED_LEAST = 130; // width of a closed group
export const CLOSED_MOST = 250;
export const CLOSED_HEIGHT = 42;
export const TITLE_ROOM = 64; // of an open group's title beside its name and its kind
export const CLOSED_ROOM = 56; // of a closed one's
export const LARGER = 1.05; // times as large, or the room and the direction that were tried first stay
export const SQUEEZED = 0.55; // of the room is what an open group gets in a second try: it has neighbours
export const READABLE = 0.64; // of its size: smaller, a box shows its name and no numbers
export const NUMBERS_SEEN = 1.25; // times as much worth is a picture with numbers
export const LEGIBLE_NAMES = 0.5; // of its size: smaller, names cannot be read
export const FEWEST_SEEN = 5; // boxes that make a picture
export const CROWD = 1000; // edges, too many to be read: they are placed once, as what was seen before them was

// boxes and edges
export const MONO_WIDTH = 7.3; // of a character in a row or a pill
export const NAME_LETTER = 8.2; // of one in the title of a group, which is bold
export const FLAG_WIDTH = 7; // of one in a flag
export const CHIP_ROUND = 18; // what a pill's round ends take
export const PAD = 11; // from a box's edge to what is written in it
export const NAME_ROW = 28; // height of the row with the name
export const ROW = 18; // and of the others
export const MAP_WIDTH = 56; // of a heat map in a row
export const MAP_HEIGHT = 13;
export const CORNER = 9; // radius at which an edge turns
