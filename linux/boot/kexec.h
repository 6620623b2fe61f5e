/* SPDX-License-Identifier: MIT */
/*
 * The way into room bare and back without a firmware: kexec_load(2) of the image, of the Linux that
 * it starts at its end, and of what both need (lib/way_back.h). Functions that return int return 0,
 * or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_KEXEC_H
#define LINUX_BOOT_KEXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files, whole in memory; the caller frees them. */
struct kexec_file {
	const char *path;
	unsigned char *data;
	size_t n;
};

#define KEXEC_PIECES 5

struct kexec_plan {
	struct kexec_file image, kernel, initrd; /* initrd.data NULL: none */
	const char *keys;                        /* the image's command line */
	const char *command_line;                /* Linux's */
	/* Chosen by kexec_place: physical memory for each, and its contents. */
	struct kexec_piece {
		uint64_t at, bytes, align;
		const void *data; /* NULL: only kept free */
		size_t n;
	} piece[KEXEC_PIECES];
	uint64_t left;         /* bytes of memory that are left to be measured */
	unsigned char *tables; /* zero pages, command lines, nodes; freed by kexec_free */
	uint64_t start;        /* where the image is entered */
};

/* The reason why this system cannot do it, whatever is loaded. */
int kexec_allowed(char *err);
/* Check the files and choose the memory. */
int kexec_place(struct kexec_plan *, char *err);
/* Load it into the kernel: only from now on is anything changed. kexec_unload takes it back. */
int kexec_load_plan(const struct kexec_plan *, char *err);
void kexec_unload(void);
void kexec_free(struct kexec_plan *);

#endif
