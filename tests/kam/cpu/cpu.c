/* SPDX-License-Identifier: MIT */
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/settings.h"
#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/under_system.h"

#define AT(member) offsetof(struct cpu, member)
#define SIZE(name, member, initial, help)                                                          \
	{                                                                                          \
		name, help, SETTING_SIZE, AT(member), 0, 1ull << 40, NULL, NULL, initial, NULL     \
	}
#define NUMBER(name, member, least, most, initial, help)                                           \
	{                                                                                          \
		name, help, SETTING_NUMBER, AT(member), least, most, NULL, NULL, initial, NULL     \
	}
#define CHOICE(name, member, choices, initial, help)                                               \
	{                                                                                          \
		name, help, SETTING_CHOICE, AT(member), 0, 0, choices, NULL, initial, NULL         \
	}
#define TEXT(name, member, most, initial, help)                                                    \
	{                                                                                          \
		name, help, SETTING_TEXT, AT(member), 0, most, NULL, NULL, initial, NULL           \
	}
#define CLAIM(name, member, help)                                                                  \
	{                                                                                          \
		name, help, SETTING_SIZE, AT(claims.member), 0, UINT64_MAX, NULL, NULL, TRUTH,     \
			NULL                                                                       \
	}
#define TRUTH    "0xffffffffffffffff"
#define POLICIES "lru|random|plru|tree"
#define HASHES   "none|xor|slices"

static const struct setting settings[] = {
#include "tests/kam/cpu/parameters.inc"
};

#define SETTINGS (sizeof(settings) / sizeof(*settings))

void cpu_init(struct cpu *c)
{
	memset(c, 0, sizeof(*c));
	settings_init(settings, SETTINGS, c);
}

/* A file that is read: into which machine, and which keys it has had. */
struct cpu_reading {
	struct cpu *cpu;
	const char *path;
	bool is_base;
	unsigned keys; /* so far */
	bool had[SETTINGS], hid[CPU_EXPECTS];
};

static unsigned place_of(const struct cpu *c, const char *name)
{
	unsigned i = 0;

	while (i < c->expects && strcmp(c->expect[i].name, name))
		i++;
	return i;
}

/*
 * Give each of the values, which are separated by commas, the same text. Returns 0, or -1 and the
 * reason in err.
 */
static int expect(struct cpu_reading *r, const char *names, const char *text, char *err,
	size_t room)
{
	while (*names) {
		int n = (int)strcspn(names, ", ");
		char name[sizeof(r->cpu->expect->name)];
		unsigned at;

		snprintf(name, sizeof(name), "%.*s", n, names);
		at = place_of(r->cpu, name);
		if (at == CPU_EXPECTS || n >= (int)sizeof(name) ||
			strlen(text) >= sizeof(r->cpu->expect->text)) {
			snprintf(err, room, "expect.%s: too long, or more than %d of them", names,
				CPU_EXPECTS);
			return -1;
		}
		if (r->hid[at]) {
			snprintf(err, room, "expect.%s: a second time", name);
			return -1;
		}
		strcpy(r->cpu->expect[at].name, name);
		strcpy(r->cpu->expect[at].text, text);
		r->cpu->expects += at == r->cpu->expects;
		r->hid[at] = true;
		names += n;
		names += strspn(names, ", ");
	}
	return 0;
}

static bool had_before(struct cpu_reading *r, const char *key)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (strcmp(settings[i].name, key) == 0) {
			bool before = r->had[i];

			r->had[i] = true;
			return before;
		}
	return false;
}

static int set(void *priv, const char *section, const char *name, const char *value);

/* All that the file beside this one says; what this one says replaces it. */
static int read_base(struct cpu_reading *r, const char *file, char *err, size_t room)
{
	const char *slash = strrchr(r->path, '/');
	struct cpu_reading base = { .cpu = r->cpu, .is_base = true };
	char path[512];

	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path,
		file);
	base.path = path;
	if (r->is_base || r->keys > 1)
		snprintf(err, room,
			"core.base = %s: must be the first key, of a machine that is no base",
			file);
	else if (ini_parse(path, set, &base))
		snprintf(err, room, "core.base = %s: cannot be read, or is refused", path);
	else
		return 0;
	return -1;
}

/* inih calls this for each key; 0 is an error. */
static int set(void *priv, const char *section, const char *name, const char *value)
{
	struct cpu_reading *r = priv;
	char key[128], err[640];

	r->keys++;
	snprintf(key, sizeof(key), "%s.%s", section, name);
	if (strcmp(key, "core.base") == 0) {
		if (read_base(r, value, err, sizeof(err)) == 0)
			return 1;
	} else if (strcmp(section, "expect") == 0) {
		if (expect(r, name, value, err, sizeof(err)) == 0)
			return 1;
	} else if (had_before(r, key)) {
		snprintf(err, sizeof(err), "%s: a second time", key);
	} else if (settings_set(settings, SETTINGS, r->cpu, key, value, err, sizeof(err)) == 0) {
		return 1;
	}
	fprintf(stderr, "kam: %s\n", err);
	return 0;
}

static void at_most(const char *path, const char *key, uint64_t value, const char *of,
	uint64_t most)
{
	if (value > most)
		fatal("%s: %s = %lu: must be at most %s, %lu", path, key, value, of, most);
}

static void at_least(const char *path, const char *key, uint64_t value, const char *of,
	uint64_t least)
{
	if (value < least)
		fatal("%s: %s = %lu: must be at least %s, %lu", path, key, value, of, least);
}

static void power_of_two(const char *path, const char *key, uint64_t value)
{
	if (value & (value - 1))
		fatal("%s: %s = %lu: must be a power of two", path, key, value);
}

static void check_ways(const char *path, const char *table, uint64_t entries, uint64_t ways)
{
	if (ways && entries % ways)
		fatal("%s: tlb.%s of %lu entries cannot have %lu ways: these must divide them, or "
		      "be 0: all",
			path, table, entries, ways);
}

static void check_tlb(const struct cpu *c, const char *path)
{
	check_ways(path, "dtlb_4k", c->dtlb_4k, c->dtlb_ways);
	check_ways(path, "stlb", c->stlb, c->stlb_ways);
	check_ways(path, "stlb_2m", c->stlb_2m, c->stlb_ways);
	power_of_two(path, "tlb.coalesce", c->coalesce);
	if (c->nested.tables && (!c->walks.read || c->walk_loads || c->upper))
		fatal("%s: nested.tables = yes: walks.read must not be 0, and there must be no "
		      "tlb.walk_loads and tlb.upper",
			path);
}

static void check_memory(const struct cpu *c, const char *path)
{
	power_of_two(path, "memory.row_bytes", c->row_bytes);
	if (c->row_bytes && c->row_hit >= c->memory_latency)
		fatal("%s: memory.row_hit = %lu: must be less than latency", path, c->row_hit);
	if (c->refresh && c->refresh >= c->refresh_every)
		fatal("%s: memory.refresh = %lu: must be less than refresh_every, %lu", path,
			c->refresh, c->refresh_every);
}

static void check_indirect(const struct cpu *c, const char *path)
{
	if (c->indirect.beyond == BEYOND_INDIRECT && !c->indirect.entries)
		fatal("%s: indirect.beyond = indirect: there must be indirect.entries", path);
}

static void check_cpus(const struct cpu *c, const char *path)
{
	if (c->cpus % c->l3_domains || c->l3_domains % c->nodes)
		fatal("%s: %lu cpus, %lu l3_domains and %lu nodes: each must be a multiple of the "
		      "next",
			path, c->cpus, c->l3_domains, c->nodes);
	if (c->arena_node >= c->nodes)
		fatal("%s: nodes.arena = %lu: there are %lu", path, c->arena_node, c->nodes);
	if (c->cpus > 1 &&
		(c->jitter_every || c->spike_every || c->unseen_every || c->hz_start ||
			c->period_us))
		fatal("%s: several cpus have one clock: no jitter, spikes, rise or neighbour",
			path);
}

int64_t cpu_of_core(const char *list, unsigned core)
{
	char *end;

	for (;; list = end, core--) {
		int64_t number = strtoll(list, &end, 10);

		if (end == list || !core)
			return end == list ? 0 : number;
	}
}

unsigned cpu_list_length(const char *list)
{
	unsigned n = 0;
	char *end;

	for (; strtoll(list, &end, 10), end != list; list = end)
		n++;
	return n;
}

uint64_t cpu_exit_ns(const struct cpu *c, uint64_t hint)
{
	for (unsigned i = 0; i < cpu_list_length(c->wake.hints); i++)
		if ((uint64_t)cpu_of_core(c->wake.hints, i) == hint)
			return (uint64_t)cpu_of_core(c->wake.exits, i);
	fatal("MWAIT with the hint %#lx, which the machine does not have", hint);
}

static void check_wake(const struct cpu *c, const char *path)
{
	unsigned n = cpu_list_length(c->wake.hints);

	if (n != cpu_list_length(c->wake.exits) || (n && cpu_of_core(c->wake.hints, 0)))
		fatal("%s: wake.exits = %s: must be as many as hints, of which the first is 0",
			path, c->wake.exits);
}

/* Numbers with blanks between them; the first is 0 where all others are compared with it. */
static void check_list(const struct cpu *c, const char *path, const char *key, const char *list,
	bool from_0)
{
	unsigned n = 0;
	const char *at = list;
	char *end;

	for (; strtoll(at, &end, 10), end != at; at = end)
		n++;
	if (*at || (from_0 && ((n && n != c->cpus) || cpu_of_core(list, 0))))
		fatal("%s: skew.%s = %s: must be %lu numbers%s", path, key, list, c->cpus,
			from_0 ? ", the first 0" : "");
}

static void check_skew(const struct cpu *c, const char *path)
{
	check_list(c, path, "ticks", c->skew.ticks, true);
	check_list(c, path, "ppb", c->skew.ppb, true);
	check_list(c, path, "adjust", c->skew.adjust, false);
}

static void check_forwarding(const struct cpu *c, const char *path)
{
	if (c->forwarding.failed && c->partial)
		fatal("%s: forwarding.failed = %lu: there must be no core.partial beside it", path,
			c->forwarding.failed);
	if (c->forwarding.renamed && !c->forwarding.renames)
		fatal("%s: forwarding.renamed = %lu: renames must be yes", path,
			c->forwarding.renamed);
	at_least(path, "forwarding.page", c->forwarding.page, "line", c->forwarding.line);
	at_least(path, "split.load_page", c->split.load_page, "load_line", c->split.load_line);
	at_least(path, "split.store_page", c->split.store_page, "store_line", c->split.store_line);
}

/* A locked operation has its line before it is done. */
static void check_atomics(const struct cpu *c, const char *path)
{
	const uint64_t cycles[] = { c->atomics.lock_add, c->atomics.lock_xadd, c->atomics.cas,
		c->atomics.xchg, c->atomics.split ? c->atomics.split : UINT64_MAX };

	for (unsigned i = 0; i < sizeof(cycles) / sizeof(*cycles); i++)
		at_least(path, "atomics, cycles", cycles[i], "l1.latency", c->level[0].latency);
}

static void check_limits(const struct cpu *c, const char *path)
{
	at_most(path, "limits.shifts", c->limits.shifts, "alus", c->alus);
	at_most(path, "limits.leas", c->limits.leas, "alus", c->alus);
	at_most(path, "limits.branches", c->limits.branches, "alus", c->alus);
	at_most(path, "limits.wide_loads", c->limits.wide_loads, "loads", c->loads);
	at_most(path, "limits.wide_stores", c->limits.wide_stores, "stores", c->stores);
	at_most(path, "limits.accesses", c->limits.accesses, "loads and stores",
		c->loads + c->stores);
}

static void check_frontend(const struct cpu *c, const char *path)
{
	uint64_t line = c->frontend.line_ops * c->frontend.ways;

	if (c->frontend.l1i % (64 * c->frontend.l1i_ways))
		fatal("%s: frontend.l1i = %lu: must be a multiple of 64 times l1i_ways", path,
			c->frontend.l1i);
	if (c->frontend.ops % line || (c->frontend.ops && !c->frontend.l1i))
		fatal("%s: frontend.ops = %lu: must be a multiple of %lu, and l1i not 0", path,
			c->frontend.ops, line);
	if (c->frontend.window != 32 && c->frontend.window != 64)
		fatal("%s: frontend.window = %lu: must be 32 or 64", path, c->frontend.window);
}

/* Check how lines choose their set. */
static void check_hash(const struct cpu_cache *l, uint64_t line, unsigned level, const char *path)
{
	uint64_t sets = l->bytes / (line * l->ways);

	if (l->hash == HASH_XOR && sets & (sets - 1))
		fatal("%s: l%u.hash = xor: its sets, %lu, must be a power of two", path, level,
			sets);
	if (l->hash == HASH_SLICES && (!l->slices || sets % l->slices))
		fatal("%s: l%u.slices = %lu: must divide its sets, %lu", path, level, l->slices,
			sets);
}

static void check_caches(const struct cpu *c, const char *path)
{
	unsigned n = cpu_levels(c), i;

	if (c->line < 16 || c->line > 4096 || c->line & (c->line - 1))
		fatal("%s: line.bytes = %lu: must be a power of two, 16 to 4096", path, c->line);
	for (i = 0; i < n; i++) {
		const struct cpu_cache *l = &c->level[i];

		if (l->bytes == 0 || l->bytes % (c->line * l->ways))
			fatal("%s: L%u of %lu bytes cannot have %lu ways of %lu byte lines: must "
			      "be a multiple of %lu",
				path, i + 1, l->bytes, l->ways, c->line, c->line * l->ways);
		if (l->victim && i + 1 < n)
			fatal("%s: l%u.victim = yes: must be the last level, L%u", path, i + 1, n);
		check_hash(l, c->line, i + 1, path);
	}
	if (c->level[3].bytes && n < 4)
		fatal("%s: l4.bytes = %lu: there must be an L3", path, c->level[3].bytes);
}

static void check_taken(const char *path, const char *key, uint64_t taken, uint64_t ways)
{
	if (taken && taken >= ways)
		fatal("%s: neighbour.%s = %lu: must be less than all of them, %lu", path, key,
			taken, ways);
}

static void check_smis(const struct cpu *c, const char *path)
{
	uint64_t most = c->smi.ticks > c->smi.long_ticks ? c->smi.ticks : c->smi.long_ticks;

	if (c->smi.every &&
		(double)most * (double)c->hz / (double)c->tsc_hz >= (double)c->smi.every / 2)
		fatal("%s: smi.ticks = %lu: must be less than half of every, %lu", path, most,
			c->smi.every);
}

static void check_disturbances(const struct cpu *c, const char *path)
{
	check_smis(c, path);
	at_most(path, "clock.hz_start", c->hz_start, "core.hz", c->hz);
	if (c->stolen_ppm && c->spike_every)
		fatal("%s: system.stolen_ppm = %lu: there must be no noise.spike_every beside it",
			path, c->stolen_ppm);
	check_taken(path, "l1_ways", c->taken_l1, c->level[0].ways);
	check_taken(path, "l2_ways", c->taken_l2, c->level[1].ways);
	check_taken(path, "l3_ways", c->taken_l3, c->level[2].ways);
	check_taken(path, "dtlb_ways", c->taken_dtlb, c->dtlb_ways ? c->dtlb_ways : c->dtlb_4k);
	check_taken(path, "stlb_ways", c->taken_stlb, c->stlb_ways ? c->stlb_ways : c->stlb);
}

/* Refuse a machine that the model cannot be built from or would simulate as another one. */
static void check(const struct cpu *c, const char *path)
{
	check_caches(c, path);
	check_forwarding(c, path);
	check_limits(c, path);
	check_atomics(c, path);
	check_frontend(c, path);
	if (c->banks & (c->banks - 1) || c->level[0].buffers % c->banks)
		fatal("%s: %lu buffers of L1 cannot have %lu banks", path, c->level[0].buffers,
			c->banks);
	if (c->sibling && c->threads < 2)
		fatal("%s: core.sibling: there is none with core.threads = 1", path);
	if (c->threads > 1 &&
		(c->window % 2 || c->store_buffer % 2 || c->level[0].buffers % (2 * c->banks)))
		fatal("%s: two threads cannot divide a window of %lu, %lu stores or %lu buffers of "
		      "L1",
			path, c->window, c->store_buffer, c->level[0].buffers);
	check_disturbances(c, path);
	check_memory(c, path);
	check_tlb(c, path);
	check_indirect(c, path);
	check_cpus(c, path);
	check_skew(c, path);
	check_wake(c, path);
	if (strlen(c->vendor) != 12)
		fatal("%s: cpuid.vendor = '%s': must have 12 letters", path, c->vendor);
}

void cpu_read(struct cpu *c, const char *path)
{
	struct cpu_reading reading = { .cpu = c, .path = path };
	int line;

	cpu_init(c);
	line = ini_parse(path, set, &reading);
	if (line < 0)
		fatal("%s: cannot be read", path);
	if (line > 0)
		fatal("%s:%d: refused", path, line);
	check(c, path);
	system_start(c);
}

void cpu_divide(struct cpu *c, const struct cpu *whole, int halved)
{
	uint64_t parts = halved ? 2 : 1;

	c->window = whole->window / parts;
	c->store_buffer = whole->store_buffer / parts;
	c->level[0].buffers = whole->level[0].buffers / parts;
}

void cpu_format(void)
{
	const char *name, *initial;
	char section[16] = "";
	size_t i, n;

	for (i = 0; i < SETTINGS; i++) {
		name = settings[i].name;
		n = (size_t)(strchr(name, '.') - name);
		if (strncmp(section, name, n) || section[n]) {
			snprintf(section, sizeof(section), "%.*s", (int)n, name);
			printf("%s[%s]\n", i ? "\n" : "", section);
		}
		initial = strcmp(settings[i].initial, TRUTH) ? settings[i].initial : "(the truth)";
		printf("%-14s = %-22s ; %s%s%s\n", name + n + 1, initial, settings[i].help,
			settings[i].choices ? ": " : "",
			settings[i].choices ? settings[i].choices : "");
	}
	printf("\n[expect]\n"
	       "; which values the machine hides: docs/known-answer.md, Not resolved\n"
	       "; The first key may be core.base: a file, by its path from this one; what is "
	       "stated\n"
	       "; here replaces what that states.\n");
}
