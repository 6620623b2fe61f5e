#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# As display.bats: all probes that a summary rests on, both rooms, and displays of all kinds.

load display_helper

some=clock:core-clock,clock:div3-lfence,branch:return-stack

@test "all probes measure the same with a display, without one, and with screen = off" {
	measure without "" --load edges=grid
	measure with "" --load edges=grid --display 1280x800 --screendump "$out/ppm"
	measure off "" --load "edges=grid screen=off" --display 1280x800
	same without with
	same without off
	shows_dashboard "$out/ppm" 1280 800
}

@test "both rooms measure the same with a framebuffer, and with a display that only Blt reaches" {
	measure without "$some" --rooms both
	measure with "$some" --rooms both --display 640x480
	measure blt "$some" --rooms both --display 640x480,blt --screendump "$out/ppm"
	same without with
	same without blt
	shows_dashboard "$out/ppm" 640 480 # as room firmware left it
}

# mov $0xc0000000, %eax; movl $0xffffff, (%rax); xor %eax, %eax; ret: a pixel each time that the
# engine asks between samples whether to stop
@test "a pixel drawn between the samples of a row is noticed, and the row is named" {
	measure without "$some"
	image=$out/pixel.efi
	tests/kam/patch-image "$image" @esc_pressed b8000000c0c700ffffff0031c0c3
	measure with "$some" --display 640x480
	run tests/kam/same_rows.py "$out/without" "$out/with"
	printf '%s\n' "$output" | head -5
	[ "$status" = 1 ]
	printf '%s\n' "$output" | grep -q '^row branch return-stack depth=1: median is '
}

# The first byte behind the 640 pixels of a line, written; the first pixel, read.
@test "a write beside the pixels, and reading the framebuffer, make a run wrong" {
	image=$out/touch.efi
	tests/kam/patch-image "$image" @esc_pressed b8000a00c0c700ffffff0031c0c3
	run measure wrong clock:core-clock --display 640x480
	[ "$status" = 1 ]
	[[ $output == *"must not do: it writes beside the pixels of the display"* ]]
	tests/kam/patch-image "$image" @esc_pressed b8000000c08b0031c0c3
	run measure wrong clock:core-clock --display 640x480
	[ "$status" = 1 ]
	[[ $output == *"must not do: it reads the framebuffer, which is slow"* ]]
}
