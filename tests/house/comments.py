#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""comments.py [--most PERCENT] FOLDER...: counts comments that stand on lines of their own, by their first
line, in .c, .h, .S and .inc files, and those that open with a noun clause (style: a comment is a sentence
with a subject and a verb). Prints both and the share for each folder; with --most also the noun clauses, and
fails if the share of all is larger.
"""
import argparse
import pathlib
import re
import sys

OPENERS = re.compile(r'(What|Whether|Of|How|Where|As|So|Which)\b')
# A string or a character, in which nothing is a comment; or a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)


def comments(text):
    """(line, first words) of each comment with nothing but blanks before it in its line."""
    for found in TOKEN.finditer(text):
        before = text[text.rfind('\n', 0, found.start()) + 1:found.start()]
        words = found[0].lstrip('/* \t\n')
        if found[0][0] == '/' and not before.strip() and not words.startswith('SPDX'):
            yield text.count('\n', 0, found.start()) + 1, words.split('\n')[0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('--most', type=float)
    arguments.add_argument('folders', nargs='+')
    given = arguments.parse_args()
    all_comments, all_clauses = 0, 0
    for folder in given.folders:
        n, clauses = 0, []
        for file in sorted(pathlib.Path(folder).rglob('*')):
            if file.suffix not in ('.c', '.h', '.S', '.inc'):
                continue
            for line, words in comments(file.read_text()):
                n += 1
                if OPENERS.match(words):
                    clauses.append(f'{file}:{line}: {words}')
        if given.most is not None:
            print(*clauses, sep='\n', end='\n' if clauses else '')
        print(f'{folder}: {len(clauses)} of {n}, {100 * len(clauses) / max(n, 1):.1f} %')
        all_comments, all_clauses = all_comments + n, all_clauses + len(clauses)
    share = 100 * all_clauses / max(all_comments, 1)
    print(f'all: {all_clauses} of {all_comments}, {share:.1f} %')
    sys.exit(given.most is not None and share > given.most)


main()
