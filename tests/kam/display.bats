#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the image draws on its display changes no row. display.long.bats has all probes and rooms.

load display_helper

# Rows cost so much that not all fit into the profile's time: what was counted of the drawing would
# leave out more of them.
some=clock:core-clock,clock:div3-lfence,branch:return-stack

@test "a run that draws on a display measures what a run without one measures" {
	measure without "$some" --cost 400
	measure with "$some" --cost 400 --display 640x480 --screendump "$out/ppm"
	grep -q 'does not fit into the 10 s' "$out/without"
	same without with
	shows_dashboard "$out/ppm" 640 480
}
