#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cycles.py [TREE]: who uses whom, by the symbols of the objects in TREE/build, as nm shows them.

Prints each cycle between files and each between folders (CONTRIBUTING.md, "Folders"), the names in
order, and what each uses of which other one. A source without an object is an error: nothing would be
proved.
"""
import os
import re
import subprocess
import sys

# The C library's functions, for the image: using them is using string.h.
LIBC = "kernel/libc"
# The table of probes, declared by engine/bench.h: handed to the engine at link time.
REGISTRY = "probes/registry"
# Declared by lib/ensure.h; the image and the program each define it, likewise at link time.
ENSURE = "ensure_failed"


def table_of_folders(tree):
    with open(os.path.join(tree, "CONTRIBUTING.md")) as table:
        return re.findall(r"^\| `([a-z/]+)/` \|", table.read(), re.M)


def sources(tree):
    """The stems (path without suffix) of all files that are compiled."""
    for top in sorted({folder.split("/")[0] for folder in table_of_folders(tree)}):
        for folder, _, names in os.walk(os.path.join(tree, top)):
            for name in names:
                stem, suffix = os.path.splitext(os.path.join(folder, name))
                if suffix in (".c", ".S") and not stem.endswith(("_test", "_truth")):
                    yield os.path.relpath(stem, tree)


def symbols(paths):
    """{stem: what its object defines for others, with its kind, and what it takes from others}"""
    tables = {stem: ({}, set()) for stem in paths}
    stem_of = {path: stem for stem, path in paths.items()}
    for line in subprocess.check_output(["nm", "-A", *paths.values()], text=True).splitlines():
        path, rest = line.split(":", 1)
        defined, taken = tables[stem_of[path]]
        kind, name = rest.split()[-2:]
        if kind in "Uw":
            taken.add(name)
        elif kind.isupper():
            defined[name] = kind
    return tables


def uses_of(tree):
    """{file: {other file: symbols}}"""
    tables = symbols({stem: f"{tree}/build/{stem}.o" for stem in sources(tree)})
    home = {}
    for stem, (defined, _) in tables.items():
        for name, kind in defined.items():
            if stem not in (LIBC, REGISTRY) and name != ENSURE and (kind != "W" or name not in home): # a weak one gives way
                home[name] = stem
    uses = {stem: {} for stem in tables}
    for stem, (_, taken) in tables.items():
        for name in taken:
            if home.get(name, stem) != stem:
                uses[stem].setdefault(home[name], set()).add(name)
    return uses


def folders_of(uses, table):
    """The same between folders."""
    def folder_of(stem):
        return max((folder for folder in table if stem.startswith(folder + "/")), key=len)

    folders = {}
    for stem, others in uses.items():
        for other, names in others.items():
            here, there = folder_of(stem), folder_of(other)
            if here != there:
                folders.setdefault(here, {}).setdefault(there, set()).update(names)
    return folders


def reachable(uses, start):
    seen, todo = set(), [start]
    while todo:
        for other in uses.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def cycles(uses):
    """Sets of names each of which reaches all others of its set, and itself."""
    reach = {name: reachable(uses, name) for name in uses}
    return sorted({tuple(sorted(other for other in reach[name] if name in reach.get(other, ())))
                   for name in uses if name in reach[name]})


def main():
    tree = (sys.argv[1:] or ["."])[0]
    files = uses_of(tree)
    folders = folders_of(files, table_of_folders(tree))
    for what, uses in (("files", files), ("folders", folders)):
        for cycle in cycles(uses):
            print(f"{what}:", *cycle)
            for name in cycle:
                for other in sorted(set(uses[name]) & set(cycle)):
                    print(f"    {name} -> {other}:", *sorted(uses[name][other]))


main()
