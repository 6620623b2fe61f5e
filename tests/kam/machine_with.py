#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""machine_with.py MACHINE.ini SECTION.KEY=VALUE...: the same machine with these keys, to stdout; all
in one, what its base states included."""
import configparser
import pathlib
import sys

path = pathlib.Path(sys.argv[1])
own, ini = configparser.ConfigParser(), configparser.ConfigParser()
own.read(path)
ini.read([path.parent / own.get("core", "base", fallback=path.name), path])
ini.remove_option("core", "base")
for setting in sys.argv[2:]:
    name, value = setting.split("=", 1)
    section, key = name.split(".")
    if not ini.has_section(section):
        ini.add_section(section)
    ini[section][key] = value
ini.write(sys.stdout)
