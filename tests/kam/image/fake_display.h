/* SPDX-License-Identifier: MIT */
/*
 * The display of layer b (--display): a graphics output protocol (UEFI 2.10, 12.9) with a linear
 * framebuffer beside the memory, or one that only Blt reaches. The firmware draws no text on it.
 * A loop cannot write there: the timed Unicorn has no memory at that address.
 */
#ifndef TESTS_KAM_IMAGE_FAKE_DISPLAY_H
#define TESTS_KAM_IMAGE_FAKE_DISPLAY_H

#include "tests/kam/image/full_system.h"

#define DISPLAY_AT   0xc0000000ull /* the framebuffer; no range of the memory map */
#define DISPLAY_MOST 8192          /* pixels each way */

struct display {
	unsigned width, height, pitch; /* pixels; pitch: from line to line, more than the width */
	uint32_t *pixels;              /* pitch * height: blue, green, red from the lowest byte */
	efi_service_fn *handle_protocol, *locate, *print; /* those of a machine without one */
};

/* "640x480" or "640x480,blt": false if it is neither. Sizes are 1 to DISPLAY_MOST. */
bool display_parse(const char *text, struct display_request *);
/* The pixels, and nothing else: grey, as if the firmware showed its logo. */
struct display *display_new(unsigned width, unsigned height);
/* After the firmware's services; without --display it does nothing, as all that follow. */
void display_init(struct full_system *);
/* The framebuffer, for the Unicorn in w->uc. */
void display_attach(struct full_system *);
void display_free(struct full_system *);
/*
 * Plain C writes into the framebuffer. What hits no pixel makes the run wrong.
 */
void display_write(struct full_system *, uint64_t offset, unsigned bytes, uint64_t value);
/* Write the display's picture as PPM. A file that cannot be written ends the program. */
void display_dump(const struct display *, const char *path);

#endif
