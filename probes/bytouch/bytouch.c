/* SPDX-License-Identifier: MIT */
/*
 * First touch: how long the operating system takes to find, zero and map a page when a byte of it
 * is first written. One store per page, into pages that were not touched since the last sample.
 */
#include "probes/probe.h"

static const struct unit unit_ns_page = { "ns/page", SCALE_NS };

static const struct touch {
	const char *variant;
	size_t page_bytes;
	uint64_t pages; /* per call: enough for a millisecond or more, few enough to be had */
} touches[] = {
	{ "touch-4k", PAGE_4K, 4096 },
	{ "touch-2m", PAGE_2M, 32 },
};

/* Parameters of a row. */
struct touch_spec {
	const struct touch *touch;
};

/* New pages in place of those of the last call. */
static int renew(struct bench *b, struct job *job)
{
	const struct touch *t = row_spec(job->row, struct touch_spec)->touch;
	struct arena fresh;

	if (b->room->system.untouched(b->room, t->pages * t->page_bytes, t->page_bytes, &fresh))
		return job_skip(job, "no pages of %llu KiB on first touch here",
			(unsigned long long)(t->page_bytes / KIB));
	job->args[0] = job->empty_args[0] = (uint64_t)(uintptr_t)fresh.base;
	return 0;
}

static void refresh(struct bench *b, struct job *job)
{
	renew(b, job);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct touch *t = row_spec(row, struct touch_spec)->touch;
	const uint64_t args[LOOP_ARGS] = { 0, t->pages, t->page_bytes };

	job_call(job, loop_touch, 1, args);
	job->expect = t->pages;
	job->ops = (double)t->pages;
	job->refresh = refresh;
	job->allowed_events = EVENT_FAULTS;
	return renew(b, job);
}

static void bytouch_plan(struct bench *b)
{
	for (unsigned i = 0; i < sizeof touches / sizeof *touches; i++) {
		const struct touch *t = &touches[i];
		double bytes = (double)(t->pages * t->page_bytes);
		struct row row = row_new(t->variant, &unit_ns_page, ANSWER_TOUCH, prepare);

		row_spec(&row, struct touch_spec)->touch = t;
		row.cost_ns = 20 * (bytes * b->pace.ns_per_byte + (double)t->pages * 500);
		row_param(&row, "pages", (double)t->pages);
		row_param(&row, "page_bytes", (double)t->page_bytes);
		plan_add(b, &row);
	}
}

static void bytouch_meaning(struct bench *b)
{
	for (unsigned i = 0; i < sizeof touches / sizeof *touches; i++) {
		const struct result *r = find_row(b, touches[i].variant, NULL, 0);

		if (r && r->median > 0)
			say(b,
				"  The first touch of a page of %llu KiB takes %.2f us, %.2f "
				"GB/s.\n",
				(unsigned long long)(touches[i].page_bytes / KIB), r->median / 1e3,
				(double)touches[i].page_bytes / r->median);
	}
}

const struct hooks probe_bytouch = {
	.plan = bytouch_plan,
	.meaning = bytouch_meaning,
};
