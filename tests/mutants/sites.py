#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sites.py [--seed N] [--count N] [--kind K] [FILE...]: one-line mutations of the program.

Prints one mutation a line, as JSON: file, line (from 1), kind, before, after, and its meaning
(meaning_of), by which harmless.txt knows it. Without FILE the mutations are drawn from the folders
below, as many of each kind as there are, by a hash of the seed and the meaning: a change elsewhere
in the tree, or another name, does not change what is drawn.
"""
import argparse
import functools
import hashlib
import itertools
import json
import pathlib
import re
import sys

FOLDERS = ['engine', 'probes', 'kernel', 'efi', 'linux', 'page', 'lib']

# The lesser or the greater of two: where they are equal, either is the same.
LESSER = re.compile(r'(?:[(=,] ?|return )(\w+) [<>]=? (\w+) \? (?:(?:\(\w+\))?\1 : \2|'
                    r'\2 : (?:\(\w+\))?\1)(?=[;,)]| \}|$)')

# Each operator and what a slip of the hand makes of it.
OPERATORS = {' + ': ' - ', ' - ': ' + ', ' * ': ' / ', ' / ': ' * ', ' % ': ' / ', ' << ': ' >> ',
             ' >> ': ' << ', ' & ': ' | ', ' | ': ' & ', ' += ': ' -= ', ' -= ': ' += '}
COMPARISONS = {' < ': ' <= ', ' <= ': ' < ', ' > ': ' >= ', ' >= ': ' > ', ' == ': ' != ',
               ' != ': ' == ', ' && ': ' || ', ' || ': ' && '}
# Instructions that do nearly the same: what they promise is lost.
INSTRUCTIONS = {'add': 'sub', 'sub': 'add', 'inc': 'dec', 'dec': 'inc', 'imul': 'add', 'xor': 'or',
                'jb': 'jbe', 'jbe': 'jb', 'ja': 'jae', 'jae': 'ja', 'je': 'jne', 'jne': 'je',
                'jnz': 'jz', 'jz': 'jnz', 'movnti': 'mov', 'movntdq': 'movdqa', 'vmovntdq': 'vmovdqa',
                'lfence': 'nop', 'mfence': 'nop', 'sfence': 'nop', 'clflush': 'prefetcht0',
                'clflushopt': 'prefetcht0', 'prefetcht0': 'prefetchnta', 'shl': 'shr', 'shr': 'shl'}

NUMBER = re.compile(r'(?<![\w.$%"])(\d+)(?=[\s,;)\]*/+}-]|$)(?![.\w"])')
ARGUMENTS = re.compile(r'(\w+)\(([\w.>&*-]+), ([\w.>&*-]+)(?=[,)])')
CALL = re.compile(r'^\t+[a-z_]\w*(->\w+|\.\w+)*\([^;]*\);$')
ASSIGNMENT = re.compile(r'^\t+[a-z_*(][\w>.\[\]*+()-]* ([-+|&*/]|<<|>>)?= [^;]*;$')
COUNT = re.compile(r'^\t+[a-z_][\w>.\[\]-]*(\+\+|--);$')
# A buffer of text that is one longer holds all that it held.
TEXT_BUFFER = re.compile(r'^\t+(static )?char \w+\[')
# The lesser of two is kept: where they are equal, so is what is kept.
KEPT = re.compile(r'^\t+(?:\} else )?if \((.+) [<>]=? (.+)\)$')
REGISTER = re.compile(r'(?<![\\\w$])%?([a-z]\w*)')
# Words before a parenthesis that are no functions, and functions that take either order.
NO_ORDER = {'if', 'while', 'for', 'switch', 'sizeof', 'math_min', 'math_max', 'fmin', 'fmax'}
# A register by its own name or by a word of the file (.set).
OPERAND = re.compile(r'\$\S+$|%?[a-z]\w*$|[-+\w\\ *]*\(%?\w+(, %?\w+)?(, \d)?\)$')
# Of these, swapped neighbours do the same where neither writes a register that the other one names.
NOTHING = {'nop', 'nopl', 'nopw'}
STACK = {'push', 'pop'}
STORES = {'mov', 'movdqa', 'vmovdqa', 'vmovdqa64'}  # to memory, or loads
MOVES = {'movabs', 'movzbl', 'lea'} | STORES | STACK  # no flags
COUNTS = {'inc', 'dec'}           # all flags but the carry
COMPARES = {'cmp', 'test', 'add', 'sub'}  # all flags, and need none
LOGIC = {'xor', 'and', 'or'}              # likewise
NO_CARRY = {'jz', 'jnz', 'je', 'jne', 'js', 'jns'}  # ask for other flags
PLAIN = MOVES | {'xor', 'add', 'sub', 'inc', 'dec', 'imul', 'vpxor', 'pxor', 'shl', 'shr', 'rol', 'ror'}
INSTRUCTION = re.compile(r'^\t([a-z]\w*)(\s+\S.*)?$')
IMMEDIATE = re.compile(r'\$(\d+)\b')


COMMENT = re.compile(r'/\*.*?\*/|//.*$|/\*.*$')
STRING = re.compile(r'"(\\.|[^"\\])*"')


def blanked(pattern, line):
    return pattern.sub(lambda m: ' ' * len(m.group()), line)


def without_comments(line):
    """The line with comments blanked, so that columns stay."""
    return blanked(COMMENT, line)


def without_text(line):
    """The same, with strings blanked, too."""
    return without_comments(blanked(STRING, line))


def replaced(line, start, end, new):
    return line[:start] + new + line[end:]


def constants(line, code):
    if code.lstrip().startswith(('#include', '#if', '_Static')):
        return
    for m in NUMBER.finditer(code):
        n = int(m.group())
        buffer = TEXT_BUFFER.match(code) and code[m.start() - 1] == '['
        for new in sorted(({n + 1} if not buffer else set()) | {n // 2 if n > 1 else 1 - n}):
            yield 'constant', replaced(line, *m.span(), str(new))


def exchanged(kind, table):
    patterns = [(re.compile(re.escape(old)), new) for old, new in table.items()]

    def each(line, code):
        if code.lstrip().startswith('#'):
            return
        same = [m.span() for m in LESSER.finditer(code)]
        for old, new in patterns:
            for m in old.finditer(code):
                if kind == 'comparison' and any(a <= m.start() < z for a, z in same):
                    continue
                yield kind, replaced(line, *m.span(), new)
    return each


def negated(line, code):
    for m in re.finditer(r'(if|while|return) \(?!', code):
        yield 'comparison', replaced(line, m.end() - 1, m.end(), '')
    for m in re.finditer(r'(if|while) \(([\w.>\[\]-]+)\)', code):
        yield 'comparison', replaced(line, m.start(2), m.start(2), '!')


def dropped(line, code):
    if (CALL.match(code) or ASSIGNMENT.match(code) or COUNT.match(code)) and 'return' not in code:
        yield 'dropped-statement', re.match(r'\t+', line).group() + ';'


def swapped_arguments(line, code):
    if code[:1] not in ('\t', '#'):
        return
    for m in ARGUMENTS.finditer(code):
        if m.group(1) not in NO_ORDER and m.group(2) != m.group(3):
            yield 'swapped-argument', replaced(line, m.start(2), m.end(3),
                                               m.group(3) + ', ' + m.group(2))


compared = exchanged('comparison', COMPARISONS)
C_KINDS = [constants, exchanged('operator', OPERATORS), compared, negated, dropped,
           swapped_arguments]


def outside_comments(lines):
    """Number and text of each line that is not, or does not begin with, a comment."""
    comment = False
    for i, line in enumerate(lines):
        if comment or line.lstrip().startswith('/*'):
            comment = '*/' not in line
            continue
        comment = '/*' in line and '*/' not in line
        yield i, line


def keeps(line, following):
    """Whether `line` asks if one is less than another, and the next line makes it so."""
    m = KEPT.match(line)
    return bool(m) and following.strip() == f'{m.group(2)} = {m.group(1)};'


def of_c(lines):
    for i, line in outside_comments(lines):
        code = without_text(line)
        for mutate in C_KINDS:
            if mutate is compared and keeps(line, ''.join(lines[i + 1:i + 2])):
                continue
            for kind, after in mutate(line, code):
                yield i, kind, [after]


def instruction(line):
    m = INSTRUCTION.match(without_text(line).rstrip())
    return m.group(1) if m else None


def whole(register):
    """A register by one name, whatever part of it is meant: %eax, %ax and %rax are `a`."""
    return re.sub(r'^[er]?([abcd])[xlh]$|^[er]?([sd]i|[sb]p)l?$|^(r\d+)[dwb]?$|^[xyz](mm\d+)$',
                  lambda m: next(g for g in m.groups() if g), register)


def operands(line):
    """Of an instruction; None where one is of a form that OPERAND does not have."""
    m = INSTRUCTION.match(without_text(line).rstrip())
    found = [o.strip() for o in re.split(r',\s*(?![^(]*\))', m.group(2) or '')] if m else []
    return found if all(OPERAND.match(o) for o in found) else None


def independent(a, b, after='', then=''):
    """Whether two instructions, before these, do the same in either order: no common register, store
    or flags."""
    pair = [(instruction(line), operands(line)) for line in (a, b)]
    if any(word in NOTHING for word, _ in pair):
        return True
    if any(word == 'vzeroupper' for word, _ in pair):
        return not any('ymm' in o or 'zmm' in o for _, of in pair for o in of or [])
    for (word, of), (_, others) in zip(pair, reversed(pair)):
        if word not in PLAIN or not of or (word == 'imul' and len(of) < 2):
            return False
        if '(' in of[-1] and (word not in STORES or any('(' in o for o in others or [])):
            return False  # but for a store beside what only registers take part in
    named = [{whole(r) for r in REGISTER.findall(' '.join(of))} for _, of in pair]
    for (word, _), names in zip(pair, named):
        names |= {'sp'} if word in STACK else set()
    written = [{'sp'} if word == 'push' else set() if '(' in of[-1] else
               {whole(of[-1].lstrip('%'))} | (n & {'sp'}) for (word, of), n in zip(pair, named)]
    if written[0] & named[1] or written[1] & named[0]:
        return False
    if all(word == 'xor' and of[0] == of[-1] for word, of in pair):
        return True  # both leave the flags of 0
    flags = [word for word, _ in pair if word not in MOVES]
    return (len(flags) < 2 or instruction(after) in COMPARES | LOGIC or
            (instruction(after) in COUNTS and
             (set(flags) <= COUNTS or instruction(then) in NO_CARRY)))


def of_assembly(lines):
    for i, line in outside_comments(lines):
        word = instruction(line)
        if not word:
            continue
        yield i, 'dropped-instruction', ['\tnop']
        if word in INSTRUCTIONS:
            yield i, 'other-instruction', [line.replace(word, INSTRUCTIONS[word], 1)]
        if (i + 1 < len(lines) and instruction(lines[i + 1]) and line != lines[i + 1] and
                not independent(line, lines[i + 1], *lines[i + 2:i + 4])):
            yield i, 'swapped-instructions', [lines[i + 1], line]
        for m in IMMEDIATE.finditer(without_text(line)):
            yield i, 'constant', [replaced(line, *m.span(1), str(int(m.group(1)) + 1))]


# Where a line is: in a function, a macro, a table or a loop.
PLACE = re.compile(r'#define (\w+)|BEGIN_LOOP (\w+)|(\w+):|(?![ \t}/#]).*?(\w+)(?:\(|(?:\[[^]]*\])* = )')
NAME = re.compile(r'[A-Za-z_]')
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|\d[\w.]*|->|<<=?|>>=?|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|\S')
KEYWORDS = set('break case char const continue do double else false float for if int long return short '
               'signed sizeof static struct switch true unsigned void while bool define'.split())


def places(lines):
    """The name of the function, macro, table or loop that each line is in."""
    name, found = '', []
    for line in lines:
        m = PLACE.match(line)
        name = next(filter(None, m.groups())) if m else name
        found.append(name)
    return found


@functools.lru_cache(2)  # the same line is changed in many ways, one after the other
def normal(lines, assembly, known=()):
    """The words of these lines, and the letters of names, NAME LETTER, after the known ones."""
    words = without_comments(' / '.join(lines)).split()
    letters = dict(known)
    if not assembly:
        words = TOKEN.findall(' '.join(words))
        for i, word in enumerate(words):
            if NAME.match(word) and word not in KEYWORDS and words[i + 1:i + 2] != ['(']:
                words[i] = letters.setdefault(word, chr(ord('a') + len(letters) % 26))
    return words, tuple(letters.items())


def meaning_of(place, before, after, assembly):
    """PLACE: STATEMENT {BEFORE => AFTER} REST. In C each name that is not called is a letter, in the
    order of appearance: renaming, moving to another file and indenting leave the meaning as it is."""
    old, letters = normal(tuple(before), assembly)
    new, _ = normal(tuple(after), assembly, letters)
    least = min(len(old), len(new))
    head = next((i for i in range(least) if old[i] != new[i]), least)
    tail = next((i for i in range(least - head) if old[-1 - i] != new[-1 - i]), least - head)
    changed = [' '.join(words[head:len(words) - tail]) for words in (old, new)]
    text = ' '.join([*old[:head], '{' + ' => '.join(changed) + '}', *old[len(old) - tail:]])
    return f'{place}: ' + re.sub(r' (?=[,;)\].[]|->)|(?<=[([.!~])(?<!=> .) |(?<=->) |(?<=\w) (?=\()', '', text)


def mutations(path):
    lines = path.read_text().split('\n')
    found = of_assembly(lines) if path.suffix in ('.S', '.inc') else of_c(lines)
    at_place = places(lines)
    for at, kind, after in found:
        before = lines[at:at + len(after)]
        if before != after:
            meaning = meaning_of(at_place[at], before, after, path.suffix != '.c')
            yield {'file': str(path), 'line': at + 1, 'kind': kind, 'before': before,
                   'after': after, 'meaning': meaning}


def sources():
    for name in FOLDERS:
        path = pathlib.Path(name)
        yield from sorted(p for p in (path.rglob('*') if path.is_dir() else [path])
                          if p.suffix in ('.c', '.S') and not p.stem.endswith(('_test', '_truth')) or
                          p.name in ('stream.inc', 'timing.inc'))


def rank(seed, m):
    text = json.dumps([seed, m['kind'], m['meaning']])
    return hashlib.sha256(text.encode()).hexdigest()


def harmless():
    """{meaning: reason}; in the file the reason stands, indented, below the meanings that it is for."""
    text = pathlib.Path(__file__).with_name('harmless.txt').read_text()
    return {meaning: ' '.join(reason.split())
            for meanings, reason in re.findall(r'((?:^\S.*\n)+)((?:^\t.*\n)+)', text, re.M)
            for meaning in meanings.splitlines()}


def drawn(seed, found):
    """All of them, of each kind in turn: whoever takes the first n has as many of each kind."""
    kinds = {}
    for m in sorted(found, key=lambda m: rank(seed, m)):
        kinds.setdefault(m['kind'], []).append(m)
    for turn in itertools.zip_longest(*(kinds[k] for k in sorted(kinds))):
        yield from (m for m in turn if m)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int)
    p.add_argument('--kind')
    p.add_argument('files', nargs='*', type=pathlib.Path)
    a = p.parse_args()
    found = [m for path in a.files or sources() for m in mutations(path)
             if a.kind in (None, m['kind'])]
    for m in itertools.islice(drawn(a.seed, found), a.count):
        print(json.dumps(m))
    return 0 if found else 1


if __name__ == '__main__':
    sys.exit(main())
