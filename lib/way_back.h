/* SPDX-License-Identifier: MIT */
/*
 * What the Linux program gives the image on the way into room bare, and what it gets back: nodes of
 * setup_data of the Linux/x86 boot protocol (Documentation/arch/x86/boot.rst). Both carry the same
 * type, which Linux does not know: it keeps such a node and shows it in
 * /sys/kernel/boot_params/setup_data/. Addresses are physical.
 */
#ifndef LIB_WAY_BACK_H
#define LIB_WAY_BACK_H

#include <stdint.h>

#define WAY_BACK_TYPE    0x616e6563 /* "anec" */
#define WAY_BACK_VERSION 1
#define WAY_BACK_SPANS   16
#define WAY_BACK_NOTES   8192

struct setup_node {
	uint64_t next;        /* address of the next node, 0: none */
	uint32_t type, bytes; /* of what follows this header */
};

/* The way in. Its memory is kept over all runs of the image. */
struct way_back {
	struct setup_node node;
	uint32_t version, nspans;
	char after[64];            /* "Linux 6.1.0-30-amd64" */
	uint64_t entry, zero_page; /* of the Linux that is started at the end */
	uint64_t results, most;    /* memory for the node that goes back, of `most` bytes */
	uint64_t used;             /* bytes of its files */
	struct {
		uint64_t base, bytes;
	} span[WAY_BACK_SPANS];              /* memory that must stay as it is */
	unsigned char notes[WAY_BACK_NOTES]; /* the image's variables; zeros at first */
};

/* The way back: files, one after the other, each padded to 8 bytes. */
struct brought_file {
	char name[56];  /* NUL-terminated; "": deleted */
	uint64_t bytes; /* of its text, which follows */
};

#endif
