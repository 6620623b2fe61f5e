/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "engine/find.h"

void summary_run(struct bench *b)
{
	struct findings *f = row_alloc(b, sizeof *f);

	if (!f) {
		say(b, "No summary: the scratch memory is full.\n");
		return;
	}
	memset(f, 0, sizeof *f);
	f->b = b;
	f->ncaches = claims_caches(b->env, f->caches, 16);
	f->ntlbs = claims_tlbs(b->env, f->tlbs, 24);
	find_caches(f);
	find_memory_system(f);
	find_lines(f);
	find_core(f);
	find_noise(f);
	for (unsigned i = 0; i < f->n; i++)
		emit_summary(b, &f->list[i]);
	print_card(f);
}
