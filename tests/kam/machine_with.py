#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""machine_with.py MACHINE.ini SECTION.KEY=VALUE...: the same machine with these keys, to stdout."""
import configparser
import sys

ini = configparser.ConfigParser()
ini.read(sys.argv[1])
for setting in sys.argv[2:]:
    name, value = setting.split("=", 1)
    section, key = name.split(".")
    if not ini.has_section(section):
        ini.add_section(section)
    ini[section][key] = value
ini.write(sys.stdout)
