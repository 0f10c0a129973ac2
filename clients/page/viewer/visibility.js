// Finds the nodes that a clip hides (server/anim/pose/visibility.h). A hidden node hides those below it as well.

// The value of stepped keys at a time. Before the first key it is the first value.
function valueAt({ times, values }, time_s) {
  let at = times.length - 1;
  while (at > 0 && times[at] > time_s) at--;
  return values[at];
}

export class Visibility {
  #nodes;
  #channels;
  #usual; // nodes that are hidden unless a clip shows them

  /** @param {object[]} nodes of /v1/model @param {object[]} channels of /v1/keys whose path is visibility; none: as in the file */
  constructor(nodes, channels) {
    this.#nodes = nodes;
    this.#channels = new Map(channels.map((channel) => [channel.node, channel]));
    this.#usual = new Set(nodes.filter(({ hidden }) => hidden).map(({ node }) => node));
  }

  // The file's answer lists all hidden nodes. If a node's parent is hidden, too, the parent hides it.
  #hides(node, time_s) {
    const channel = this.#channels.get(node);
    if (channel) return valueAt(channel, time_s) === 0;
    return this.#usual.has(node) && !this.#usual.has(this.#nodes[node].parent);
  }

  /** @returns {Set<number>} the nodes that are hidden at a time of the clip */
  hiddenAt(time_s) {
    if (!this.#channels.size) return this.#usual;
    const known = new Map();
    const isHidden = (node) => {
      const path = []; // without recursion, because files may be deep
      for (let at = node; at >= 0 && !known.has(at); at = this.#nodes[at].parent) path.push(at);
      for (let i = path.length - 1; i >= 0; i--) known.set(path[i], Boolean(known.get(this.#nodes[path[i]].parent)) || this.#hides(path[i], time_s));
      return known.get(node);
    };
    return new Set(this.#nodes.map(({ node }) => node).filter(isHidden));
  }
}
