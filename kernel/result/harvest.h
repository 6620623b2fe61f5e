/* SPDX-License-Identifier: MIT */
/* Harvest: a result that waits in variables becomes a file. */
#ifndef KERNEL_RESULT_HARVEST_H
#define KERNEL_RESULT_HARVEST_H

#include "kernel/result/store.h"

enum harvest {
	HARVEST_NOTHING, /* nothing was pending */
	HARVEST_DONE,    /* it is in the file, which was compared, and no longer pending */
	HARVEST_KEPT,    /* it is valid, but the file could not be written: it stays pending */
	HARVEST_DAMAGED, /* what was pending was unusable and is deleted */
};

/* Memory to work in; text: at least as long as an unpacked result. */
struct harvest_memory {
	unsigned char *packed; /* STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK bytes */
	char *text;
	size_t text_bytes;
};

struct harvested {
	struct stored_result header;
	size_t text_bytes; /* of memory->text, with HARVEST_DONE and HARVEST_KEPT */
	const char *why;   /* with HARVEST_KEPT and HARVEST_DAMAGED */
};

/* file_absent: why no file can be written here; NULL: it can. */
enum harvest harvest(const struct storage *, const char *file_absent, const struct harvest_memory *,
	struct harvested *);

#endif
