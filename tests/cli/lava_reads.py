#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lava_reads.py PACKAGE signals FILE | PACKAGE monitor LOG DOCUMENT: what LAVA's dispatcher, unpacked in the folder
PACKAGE, reads in signals, or in a log by the pattern of the document: "CASE RESULT [MEASUREMENT UNITS]" a line.

Only the functions that read are taken from its files, because the files import the whole dispatcher.
"""
import ast
import collections
import decimal
import re
import sys

package, how, name = sys.argv[1:4]


def parsed(path):
    with open(f'{package}/usr/lib/python3/dist-packages/lava_dispatcher/{path}') as file:
        return ast.parse(file.read())


def definition(path, wanted):
    """The function or class of that name, in a namespace that has what it uses."""
    node = next(n for n in ast.walk(parsed(path)) if getattr(n, 'name', '') == wanted)
    space = {'decimal': decimal, 're': re, 'InternalObject': object, 'TestError': RuntimeError, 'JobError': RuntimeError}
    exec(compile(ast.Module([node], []), path, 'exec'), space)
    return space[wanted]


def show(case, result, measurement=None, units=''):
    print(case, result, *(() if measurement is None else ('%.10g' % float(measurement), units)))


def read_signals(text):
    pattern = next(n.value for n in ast.walk(parsed('actions/test/shell.py'))
                   if isinstance(n, ast.Constant) and str(n.value).startswith('<LAVA_SIGNAL_'))
    words, match = definition('actions/test/shell.py', 'handle_testcase'), definition('connection.py', 'SignalMatch')()
    signals = re.findall(pattern, text)
    if len(signals) != len(text.splitlines()) or {kind for kind, _ in signals} != {'TESTCASE'}:
        sys.exit(f'{len(text.splitlines())} lines, {len(signals)} signals')
    for _, parameters in signals:
        found = match.match(words(parameters.split()))
        show(found['test_case_id'], found['result'], found.get('measurement'), found.get('units'))


class Monitor:
    """Stands for the dispatcher's action: what its check_patterns uses of it."""
    test_suite_name, fixupdict, level = 'anechoic', None, '1'

    def __init__(self):
        self.logger = self

    def info(self, *_):
        pass

    debug = info

    def results(self, found):
        show(found['case'], found['result'], found['measurement'], found['units'])


def read_log(text, document):
    check = definition('actions/test/monitor.py', 'check_patterns')
    for match in re.finditer(re.search("^ +pattern: '(.*)'$", document, re.M)[1], text):
        check(Monitor(), 'test_result', collections.namedtuple('Connection', 'match')(match))


with open(name) as file:
    log = file.read()
if how == 'signals':
    read_signals(log)
else:
    with open(sys.argv[4]) as file:
        read_log(log, file.read())
