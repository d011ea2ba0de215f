# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads a device tree from standard input with the reader of m1n1's client and lists it as tests/other_readers.rs does."""

import sys

from m1n1 import adt


def show(node, depth):
    print(depth, "node", node.child_count)
    for p in node.properties:
        print(depth, p.name, p.size >> 31, p.value.hex())
    for child in node.children:
        show(child, depth + 1)


def show_regs(node):
    # The client takes only addresses and sizes of two cells apart.
    cells = node._parent and (node._parent.getprop("#address-cells"), node._parent.getprop("#size-cells"))
    if "reg" in node._properties and cells == (2, 2):
        for entry in node.reg:
            print("reg", hex(node._parent.translate(entry.addr)), hex(entry.size))
    for child in node:
        show_regs(child)


data = sys.stdin.buffer.read()
tree = adt.ADTNodeStruct.parse(data)
show(tree, 0)
built = adt.ADTNodeStruct.build(tree)
if built != data[: len(built)]:
    sys.exit("the client builds another tree")
if sys.argv[1] == "typed":
    show_regs(adt.ADTNode(tree))
