/* SPDX-License-Identifier: MIT */
/* Harvest: a result that waits in variables becomes a file. */
#ifndef KERNEL_RESULT_HARVEST_H
#define KERNEL_RESULT_HARVEST_H

#include "kernel/result/store.h"

enum harvest {
	HARVEST_NOTHING, /* nothing was pending */
	HARVEST_DONE,    /* it is in the file, which was compared, and no longer pending */
	HARVEST_KEPT, /* it stays pending: it cannot be read now, or its file cannot be written */
	HARVEST_DAMAGED, /* a part was missing or wrong, and it is deleted */
};

/* Memory to work in; a result whose text is longer than text_bytes is kept. */
struct harvest_memory {
	unsigned char *packed; /* STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK bytes */
	char *text;
	size_t text_bytes;
};

struct harvested {
	struct stored_result header;      /* with HARVEST_DONE, the file that it really became */
	size_t text_bytes;                /* of memory->text; 0 where it could not be read */
	const char *why;                  /* with HARVEST_KEPT and HARVEST_DAMAGED */
	bool taken;                       /* with HARVEST_DONE: by a server, not read back */
	char refused[STORED_RESULT_FILE]; /* a name in the header that no result has; "": none */
};

/* file_absent: why no file can be written here; NULL: it can. */
enum harvest harvest(const struct storage *, const char *file_absent, const struct harvest_memory *,
	struct harvested *);

#endif
