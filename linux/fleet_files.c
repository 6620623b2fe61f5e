/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "linux/fleet_files.h"
#include "report/reading/reader.h"

#define ENDING ".ndjson"

/* A file that was read, by which it is known under its other names. */
struct seen {
	dev_t device;
	ino_t inode;
};

struct reading {
	struct fleet *fleet;
	struct fleet_faults *faults;
	const char *rooms;
	struct seen *seen;
	size_t nseen;
};

static void fault(struct fleet_faults *faults, const char *path, unsigned long line,
	const char *reason)
{
	struct fleet_fault *f = grow((void **)&faults->fault, &faults->n, sizeof *f);
	size_t bytes;
	FILE *out = text_stream(&f->file, &bytes);

	for (const char *c = path; *c; c++)
		fputc(*c >= 0x20 && *c <= 0x7e ? *c : '?', out);
	if (line)
		fprintf(out, ":%lu", line);
	fclose(out);
	f->reason = copy_text(reason);
}

/* One line a file: the first damage of it. */
static void take_faults(struct reading *r, const struct results *results)
{
	const struct problems *problems = &results->problems;

	for (unsigned long i = 0; i < problems->all && i < PROBLEMS_KEPT; i++)
		if (problems->kept[i].severity == SEVERITY_DAMAGE) {
			fault(r->faults, results->name, problems->kept[i].line,
				problems->kept[i].text);
			return;
		}
	if (problems->damage)
		fault(r->faults, results->name, 0, "damaged");
}

static bool seen_before(struct reading *r, const struct stat *st)
{
	for (size_t i = 0; i < r->nseen; i++)
		if (r->seen[i].device == st->st_dev && r->seen[i].inode == st->st_ino)
			return true;
	*(struct seen *)grow((void **)&r->seen, &r->nseen, sizeof *r->seen) =
		(struct seen){ st->st_dev, st->st_ino };
	return false;
}

static void read_one(struct reading *r, const FTSENT *entry)
{
	struct results results;
	struct stat st;

	if (!stat(entry->fts_accpath, &st) && seen_before(r, &st))
		return;
	char *machine = machine_of_file(entry->fts_path, entry->fts_level > 1);
	results_read_summaries(&results, entry->fts_path);
	take_faults(r, &results);
	fleet_add(r->fleet, &results, machine, r->rooms);
	results_free(&results);
	free(machine);
}

static bool is_result_name(const char *name)
{
	size_t n = strlen(name), ending = strlen(ENDING);

	return n >= ending && !strcmp(name + n - ending, ENDING);
}

/* A link in a folder is the file that it leads to; one to a folder might lead in a circle. */
static bool is_file(const FTSENT *entry)
{
	struct stat st;

	return entry->fts_info == FTS_F ||
		(entry->fts_info == FTS_SL && !stat(entry->fts_accpath, &st) &&
			S_ISREG(st.st_mode));
}

static void take(struct reading *r, const FTSENT *entry)
{
	bool named = entry->fts_level == 0;

	switch (entry->fts_info) {
	case FTS_D:
	case FTS_DP:
		return;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		fault(r->faults, entry->fts_path, 0, strerror(entry->fts_errno));
		return;
	}
	if (named || (is_file(entry) && is_result_name(entry->fts_name)))
		read_one(r, entry);
	else
		r->faults->others++;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

void fleet_read(struct fleet *fleet, struct fleet_faults *faults, char *const *paths,
	const char *rooms)
{
	struct reading r = { .fleet = fleet, .faults = faults, .rooms = rooms };

	for (; *paths; paths++) {
		char *const one[] = { *paths, NULL };
		FTS *folder = fts_open(one, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);

		if (!folder) {
			fault(faults, *paths, 0, strerror(errno));
			continue;
		}
		for (FTSENT *entry; (entry = fts_read(folder));)
			take(&r, entry);
		fts_close(folder);
	}
	free(r.seen);
}

void fleet_faults_free(struct fleet_faults *faults)
{
	for (size_t i = 0; i < faults->n; i++) {
		free(faults->fault[i].file);
		free(faults->fault[i].reason);
	}
	free(faults->fault);
}
