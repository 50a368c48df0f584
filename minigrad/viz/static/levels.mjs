// Step over and step out: where a module, a loop or a call begins and ends in a pass. This says the same as
// minigrad/viz/steps/levels.py: Over crosses the group, closed or open, that the next box is seen in; where the present
// box is seen in that as well, it is one step. Out goes to the end of the group that the present box is seen in. A
// group is over when none of its boxes is ready to run.

/** @import { Frame, Group } from "./model.d.ts" */

export class Levels {
  /** @param {Group[]} groups */
  constructor(groups = []) {
    this.outside = new Map(groups.map((group) => [group.id, group.parent ?? null]));
    this.home = new Map(groups.flatMap((group) => group.boxes.map((box) => [box, group.id])));
    this.inside = new Map(groups.map((group) => [group.id, new Set()]));
    for (const box of this.home.keys()) for (const group of this.around(box)) this.inside.get(group).add(box);
    this.groups = groups;
  }

  /**
   * The groups around a box, the outermost first.
   * @param {string} box
   */
  around(box) {
    const found = [];
    for (let at = this.home.get(box) ?? null; at !== null; at = this.outside.get(at) ?? null) found.unshift(at);
    return found;
  }

  /**
   * Those of them that are seen: all but what lies in a closed one.
   * @param {string} box
   * @param {Set<string>} open
   */
  groupsSeen(box, open) {
    const around = this.around(box);
    const closed = around.findIndex((group) => !open.has(group));
    return closed < 0 ? around : around.slice(0, closed + 1);
  }

  /**
   * What a step over from one box to the next crosses, if it is a group.
   * @param {string} here
   * @param {string} there
   * @param {Set<string>} open
   */
  groupCrossed(here, there, open) {
    const inside = this.groupsSeen(here, open).filter((group) => open.has(group));
    return this.groupsSeen(there, open).findLast((group) => !inside.includes(group)) ?? null;
  }

  /**
   * @param {string} group
   * @param {Frame} frame
   */
  isOver(group, frame) {
    return !frame.ready.some((box) => this.inside.get(group).has(box));
  }

  /**
   * The innermost group around the present box that is not over; null outside of all.
   * @param {Frame} frame
   * @param {Set<string>} open
   */
  surrounding(frame, open) {
    return this.groupsSeen(frame.box, open).findLast((group) => !this.isOver(group, frame)) ?? null;
  }

  /**
   * The frame before the first step of a group, in which the step to frame k lies.
   * @param {string} group
   * @param {Frame[]} frames
   * @param {number} k
   */
  start(group, frames, k) {
    let first = k;
    for (let i = k; i > 0; i -= 1) {
      if (this.inside.get(group).has(frames[i].box)) first = i;
      if (this.isOver(group, frames[i - 1])) break;
    }
    return first - 1;
  }

  /** What a slider is marked by: the outermost groups, or what the one outermost group is made of. */
  outermost() {
    const within = (parent) => this.groups.filter((group) => (group.parent ?? null) === parent);
    let level = within(null);
    while (level.length === 1 && within(level[0].id).length) level = within(level[0].id);
    return level;
  }
}
