// What the widget's model holds, as the scripts read it; the type checks of `python dev.py check` know it from here. Python
// writes it: page/widget_picture.py a picture, steps/frames.py a frame, steps/events.py an event, graph/values.py a value.

/** anywidget's model, or what stands for it where no kernel is: plain.mjs, kept.mjs. */
export interface Model {
  get<Name extends keyof Held>(name: Name): Held[Name];
  set<Name extends keyof Held>(name: Name, value: Held[Name]): void;
  on(events: string, listener: (...details: any[]) => void): void;
  off(events?: string, listener?: (...details: any[]) => void): void;
  send(message: { stop: true }): void;
  save_changes(): void;
  /** In JupyterLab, of a model that a kernel made. */
  widget_manager?: any;
}

/** What the model holds: the traits of stepper.py. What only some of the pages have is optional. */
export interface Held {
  key: string;
  code: string;
  kept: string;
  past: string[];
  earlier: string[];
  lately: string[];
  ran: string[];
  layout?: any;
  picture: PictureData;
  recorded: string[];
  index: number;
  finished: boolean;
  problem: Problem;
  answered: number;
  live: boolean;
  /** The frame at which a run ended by itself, and why; `more`: it has not ended yet. */
  stopped: { index?: number; why?: string; more?: boolean };
  now: Record<string, Written>;
  outdated: string;
  whatif: Partial<Supposed>;
  /** What the kernel is asked for, and the number of that request. */
  request: { nth?: number; [what: string]: unknown };
  breaks: Breakpoint[];
  /** Whether the part that runs opens and closes by itself. */
  follows?: boolean;
}

export interface Problem {
  text?: string;
  box?: string | null;
}

/** At a box, or where a condition holds: one of ours (conditions.mjs), or one in Python. */
export interface Breakpoint {
  box?: string;
  when?: string;
  code?: string;
}

/** What `packing.py` packs: the picture and all frames. */
export interface Kept {
  picture: PictureData;
  frames: string[];
  problem?: Problem;
}

/** A pass with other numbers in its leaves: from the kernel, or computed by whatif.mjs. */
export interface Supposed {
  /** Of each leaf that is changed: its name with the cell, what it is now, and what it ran with. */
  changes: [name: string, now: string, ran: string][];
  /** The boxes of these leaves. */
  changed: string[];
  note: string;
  frames: string[];
  forward: Frame[];
  now: Record<string, Written>;
  problem: Problem;
  /** What a nudge came to, as a sentence. */
  word?: string;
}

// ---------------------------------------------------------------- the picture

/** What does not change from step to step. */
export interface PictureData {
  svg?: string;
  total?: number;
  /** The boxes that will run, each as often as it does. */
  runs?: string[];
  root?: string;
  /**
   * [id, the box that it leads from, the box that it leads to, what tells it from others between these], in the direction
   * of the forward pass.
   */
  edges?: [string, string, string, string?][];
  groups?: Group[];
  open?: string[];
  note?: string;
  boxes?: Record<string, About>;
  /** Boxes as texts of SVG, on pages that were saved when the kernel still drew them. */
  drawn?: Record<string, string>;
  sources?: { title: string; lines: [number, string][] }[];
  unlined?: string;
  /** What sentences call the gradient that came to a node, where that is not g. */
  gradient?: string;
  own?: boolean;
  compared?: boolean;
  predict?: boolean;
  order?: string[];
  forward?: Frame[];
  program?: Program;
}

/** Boxes that close to one. `sheet`: it is the graph of a gradient (layout.mjs adds that). */
export interface Group {
  id: string;
  name: string;
  path: string;
  kind: string;
  parent: string | null;
  boxes: string[];
  count: number;
  is_module: boolean;
  sheet?: boolean;
}

/** What is known of a box before the first step. */
export interface About {
  name: string;
  kind: "leaf" | "constant" | "result";
  path: string;
  size: [number, number];
  op: string;
  expression: string;
  shape: string;
  dtype: string;
  value: string;
  hover: string;
  statistics: string[];
  alarm: string;
  where: string;
  exact: string;
  cells?: string;
  version: number | null;
  /** Parameter, name, and the value in a few words. */
  saved: [string, string, string][];
  needs_grad: boolean;
  pruned: boolean;
  freed: boolean;
  saved_version: number | null;
  graph: number;
  made_by: string;
  outputs: Value[];
  /** What is written in the box, where that is something else: of its name, its expression and its value. */
  label?: string;
  beside?: string;
  text?: string;
  heat?: string;
  large?: boolean;
  unknown?: boolean;
  /** Of a value that was written to since, what it was; of a supposed one, what ran. */
  was?: string;
  ran?: string;
}

/** What a box holds now that was written to, or is supposed to hold. */
export type Written = Partial<About> & { text: string; heat: string };

/** Any value: as a text, or as a map. */
export interface Value {
  text: string;
  full: string;
  shape: string;
  dtype: string;
  statistics: string[];
  heat: string;
  alarm: string;
  where: string;
  exact: string;
  cells?: string;
  difference: string;
  difference_map: string;
}

// ---------------------------------------------------------------- a step

/** One step, as the difference to the one before. Steps of the forward pass have an index below 0. */
export interface Frame {
  index: number;
  /** The box that ran, and the one that runs next. */
  box: string | null;
  next: string | null;
  story: Line[];
  /** The pieces of the learner's code that are marked: [source, line, first column, last column] of each. */
  marks: number[][];
  ready: string[];
  boxes: Record<string, State>;
  edges: Record<string, string>;
  chips: Record<string, string>;
  /** Norm, maximum, minimum and mean of what arrived. */
  received: [number, number, number, number] | null;
  /** NaN and infinity are texts: JSON has no word for them. */
  norms: Record<string, number | "NaN" | "Infinity">;
  alarm: string;
  events: Happened[];
  grown: { name: string; op: string; text: string }[];
  differences: Record<string, string>;
  difference_maps: Record<string, string>;
  failed: boolean;
  questions?: Question[];
  made?: string[];
  cells?: StepCells;
  /** Numbers are left out that are still to be predicted (player.mjs adds that). */
  isVeiled?: boolean;
}

/** A line of what is told: pieces of text, each with what it is. `why`: only to those who ask. */
export interface Line {
  kind: "sentence" | "numbers" | "item" | "code" | string;
  why: boolean;
  pieces: [style: string, text: string][];
}

/** How a box stands at a step. */
export interface State {
  state: string;
  badge: string;
  grad: string;
  full: string;
  none: boolean;
  alarm: boolean;
  where: string;
  exact: string;
  heat: string;
  cells?: string;
  statistics: string;
  arrived: number;
  needed: number;
  mark?: string;
  /** What stands before the gradient, where that is not "grad". */
  word?: string;
  /** What a box is by then, where that has changed. */
  pruned?: boolean;
  freed?: boolean;
  version?: number;
  saved_version?: number;
}

/** Something besides the step itself: a hook that ran, a tensor that was saved. */
export interface Happened {
  kind: string;
  why: boolean;
  node: string;
  title: string;
  text: string;
  before: Value | null;
  after: Value | null;
  /** [file, number, source] */
  line: [string, number, string] | null;
}

/** A number to predict; `edge` is null where a leaf's .grad is asked for. */
export interface Question {
  edge: string | null;
  box: string;
  cell: string;
  value: number | string;
  came: number | string | null;
  held: number | string | null;
}

/** The numbers of a step, one by one: see cells.py. */
export interface StepCells {
  g: { shape: number[]; cells?: string };
  /** [edge, box, which of its outputs, whether it is repeated] */
  operands: [edge: string, box: string, output: number, repeated: boolean][];
  sent: { key: string; shape: number[]; cells?: string; from: string }[];
}

// ---------------------------------------------------------------- a graph that the page computes: page/program.py

export interface Tensor {
  shape: number[];
  numbers: number[];
}

export interface Program {
  /** Leaves and operations, in the order of the forward pass. */
  rows: Row[];
  root: string;
  seed: Tensor;
  /** How many characters of its value a box has room for. */
  rooms: Record<string, number>;
}

/** A leaf has numbers; an operation has inputs, and its options by their names. */
export interface Row {
  id: string;
  op?: string;
  inputs?: ({ box: string; edge: string } | (Tensor & { box?: undefined; edge?: undefined }))[];
  numbers?: number[];
  shape?: number[];
  [option: string]: any;
}
