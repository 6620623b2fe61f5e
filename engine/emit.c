/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/emit.h"
#include "engine/levels.h"
#include "engine/run_text.h"
#include "engine/infer/card.h"
#include "lib/crc32.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "engine/claims.h"
#include "lib/math.h"
#include "engine/find.h"
#include "engine/skipped.h"
#include "engine/probe_api.h"
#include "lib/jsonl_write.h"

/* What the processor's registers say of how fast it may run. */

enum kind { VALUE, RATIO, FLAG, BITS, BYTES, WATTS, AMD_MHZ };

static const struct fact {
	const char *name;
	enum cpu_vendor vendor;
	uint32_t msr;
	unsigned low, bits;
	enum kind kind;
} facts[] = {
#define SPEED_FACT(name, vendor, msr, low, bits, kind) { #name, vendor, msr, low, bits, kind },
#include "engine/speed_facts.inc"
#undef SPEED_FACT
};

#define FACTS (sizeof facts / sizeof *facts)

#define POWER_UNIT 0x606 /* [3:0]: a watt is 2^n units */

/*
 * "All existing and future processors will not implement MSRs" in 40000000h to 400000FFh (SDM vol.
 * 4, 2.1): what answers there answers for everything, as an emulator that ignores unknown MSRs
 * does, and its zeros mean nothing.
 */
#define NO_MSR 0x400000ff

static uint64_t field(uint64_t value, const struct fact *f)
{
	return f->bits < 64 ? value >> f->low & ((1ULL << f->bits) - 1) : value;
}

static void put_bits(struct jsonl *l, const char *name, uint64_t value)
{
	char text[20];

	text_format(text, sizeof text, "%llx", (unsigned long long)value);
	jsonl_string(l, name, text);
}

static void put_bytes(struct jsonl *l, const char *name, uint64_t value)
{
	jsonl_array(l, name);
	for (unsigned i = 0; i < 64; i += 8)
		jsonl_integer(l, NULL, value >> i & 0xff);
	jsonl_array_end(l);
}

static void put_watts(struct room *room, struct jsonl *l, const char *name, uint64_t value)
{
	uint64_t units;

	if (room->read_msr(room, POWER_UNIT, &units) == 0 && value)
		jsonl_number(l, name, (double)value / (double)(1 << (units & 15)));
}

/*
 * PstateDef: families 17h to 19h 200 MHz x [7:0] / [13:8]; from 1Ah 5 MHz x [11:0] (PPR, "Core
 * Current Operating Frequency"). Others, and a state that is not valid ([63]): not known.
 */
static void put_amd_mhz(struct room *room, struct jsonl *l, const char *name, uint64_t state)
{
	uint32_t eax = room->cpuid(room, 1, 0).eax;
	unsigned family = (eax >> 8 & 15) + (eax >> 20 & 0xff), divisor = state >> 8 & 0x3f;

	if (!(state >> 63))
		return;
	if (family >= 0x1a)
		jsonl_number(l, name, 5.0 * (double)(state & 0xfff));
	else if (family >= 0x17 && divisor)
		jsonl_number(l, name, 200.0 * (double)(state & 0xff) / divisor);
}

static void put_fact(struct room *room, struct jsonl *l, const struct fact *f, uint64_t msr)
{
	uint64_t value = field(msr, f);

	switch (f->kind) {
	case RATIO:
		if (!value)
			return;
		/* fall through */
	case VALUE:
		jsonl_integer(l, f->name, value);
		return;
	case FLAG:
		jsonl_bool(l, f->name, value);
		return;
	case BITS:
		put_bits(l, f->name, value);
		return;
	case BYTES:
		put_bytes(l, f->name, value);
		return;
	case WATTS:
		put_watts(room, l, f->name, value);
		return;
	case AMD_MHZ:
		put_amd_mhz(room, l, f->name, value);
	}
}

/* Whether the last fact before `f` of this vendor is of another MSR. */
static bool is_first(const struct fact *f)
{
	return f == facts || f[-1].msr != f->msr || f[-1].vendor != f->vendor;
}

static void put_facts(struct room *room, struct jsonl *l, enum cpu_vendor vendor)
{
	uint64_t value;

	for (const struct fact *f = facts; f < facts + FACTS; f++)
		if (f->vendor == vendor && room->read_msr(room, f->msr, &value) == 0)
			put_fact(room, l, f, value);
	jsonl_array(l, "absent");
	for (const struct fact *f = facts; f < facts + FACTS; f++)
		if (f->vendor == vendor && is_first(f) && room->read_msr(room, f->msr, &value))
			put_bits(l, NULL, f->msr);
	jsonl_array_end(l);
}

/*
 * Adds the object `speed` to the run line: the facts of speed_facts.inc that this processor has, by
 * room->read_msr. An MSR that faults stands in `absent`. Where none can be read, or where the room
 * answers for MSRs that no processor has, there is only the reason, `why`.
 */
static void speed_describe(struct room *room, struct jsonl *l)
{
	enum cpu_vendor vendor = cpuid_vendor(room->cpuid(room, 0, 0));
	uint64_t value;

	jsonl_object(l, "speed");
	if (!room->read_msr)
		jsonl_string(l, "why", room->msr_why ? room->msr_why : "this room reads no MSRs");
	else if (vendor != VENDOR_INTEL && vendor != VENDOR_AMD)
		jsonl_string(l, "why", "not known for this vendor");
	else if (room->read_msr(room, NO_MSR, &value) == 0)
		jsonl_string(l, "why", "this machine answers for MSRs that no processor has");
	else
		put_facts(room, l, vendor);
	jsonl_object_end(l);
}

static struct jsonl *emit_begin(struct bench *b, const char *kind)
{
	struct jsonl *l = &b->emit->line;

	jsonl_begin(l, b->emit->text, sizeof b->emit->text);
	jsonl_string(l, KEY_KIND, kind);
	jsonl_string(l, KEY_ROOM, room_names[b->room->kind]);
	jsonl_integer(l, KEY_SEQ, b->emit->seq);
	return l;
}

/*
 * For the other files of the writer: begins a line of that kind; adds the member `counts`, which
 * lists what the room can count; closes the line and hands it to room->write.
 */
/* A line that does not fit is lost; a message and the gap in seq show it. */
static void emit_line(struct bench *b)
{
	size_t n = jsonl_end(&b->emit->line);
	uint64_t since;

	b->emit->seq++;
	if (n == 0) {
		say(b, "internal error: result line %u is longer than %u bytes and was lost\n",
			b->emit->seq - 1, (unsigned)EMIT_LINE);
		return;
	}
	b->emit->crc_all = crc32_of(b->emit->crc_all, b->emit->text, n);
	card_read(b->card, (struct line){ b->emit->text, n });
	since = b->room->now(b->room);
	b->room->write(b->room, b->emit->text, n);
	b->output_ticks += b->room->now(b->room) - since;
}

static const struct {
	const char *name;
	size_t offset;
} counts[EVENT_KINDS] = {
#define EVENT(NAME, name, kind, words) { #name, offsetof(struct event_counts, name) },
#include "lib/event_counts.inc"
#undef EVENT
};

static void emit_counts_known(struct jsonl *l, struct room *room)
{
	struct event_counts q = { 0 };

	room->timed_begin(room, &q);
	room->timed_end(room, &q);
	jsonl_array(l, KEY_COUNTS);
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		if (q.known >> i & 1)
			jsonl_string(l, NULL, counts[i].name);
	jsonl_array_end(l);
}

/* page_bytes: what the row really had; 0 without arena or where nothing was measured. */
static void put_identity(struct jsonl *l, const struct row *row, size_t page_bytes)
{
	jsonl_string(l, KEY_PROBE, row->probe->name);
	jsonl_string(l, KEY_VARIANT, row->variant);
	if (row->level)
		jsonl_string(l, KEY_LEVEL, row->level);
	if (!row->nparams && !page_bytes)
		return;
	jsonl_object(l, KEY_PARAMS);
	for (unsigned i = 0; i < row->nparams; i++)
		jsonl_number(l, row->params[i].name, row->params[i].value);
	if (page_bytes)
		jsonl_integer(l, KEY_PAGE_BYTES, page_bytes);
	jsonl_object_end(l);
}

/*
 * The node of all memory that the job has, unless that is where the run line says that the arena
 * is.
 */
static void put_node(struct jsonl *l, const struct bench *b, const struct result *r,
	const struct job *job)
{
	uint32_t node = job->placed ? job->node : job->arena.node;

	if (!r->page_bytes || node == b->arena_node)
		return;
	if (node == NODE_UNKNOWN)
		jsonl_number(l, KEY_NODE, NOT_A_NUMBER);
	else
		jsonl_integer(l, KEY_NODE, node);
}

static void put_statistics(struct jsonl *l, const struct result *r)
{
	enum { ALWAYS, IF_KNOWN };

#define STATISTIC(name, when)                                                                      \
	if (when == ALWAYS || r->name > 0)                                                         \
		jsonl_number(l, #name, r->name);
#include "lib/row_statistics.inc"
#undef STATISTIC
}

static double seconds_of_run(const struct bench *b)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - b->start_ticks)) / 1e9;
}

static void put_events(struct jsonl *l, const struct event_counts *q)
{
	jsonl_object(l, KEY_COUNTS);
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		if (q->known >> i & 1)
			jsonl_integer(l, counts[i].name,
				*(const uint64_t *)((const char *)q + counts[i].offset));
	jsonl_object_end(l);
}

static void put_values(struct jsonl *l, const struct result *r, const double *values,
	const bool *flagged)
{
	jsonl_array(l, KEY_VALUES);
	for (unsigned i = 0; i < r->samples; i++)
		jsonl_number(l, NULL, values[i]);
	jsonl_array_end(l);
	if (!r->disturbed)
		return;
	jsonl_array(l, KEY_FLAGS);
	for (unsigned i = 0; i < r->samples; i++)
		if (flagged[i])
			jsonl_integer(l, NULL, i);
	jsonl_array_end(l);
}

void emit_row(struct bench *b, const struct result *r, struct job *job, const double *values,
	const bool *flagged)
{
	struct jsonl *l = emit_begin(b, KIND_ROW);
	struct result done = *r;

	done.at_seconds = seconds_of_run(b);
	put_identity(l, r->row, r->page_bytes);
	put_node(l, b, r, job);
	jsonl_string(l, KEY_UNIT, r->row->unit->name);
	put_statistics(l, &done);
	if (r->unsteady)
		jsonl_string(l, KEY_UNSTEADY, r->unsteady);
	put_events(l, &r->events);
	jsonl_string(l, KEY_ORIGIN, "measured");
	put_values(l, r, values, flagged);
	if (job->extra) {
		jsonl_object(l, KEY_MORE);
		job->extra(b, job, l, values, (unsigned)r->samples);
		jsonl_object_end(l);
	}
	b->rows++;
	emit_line(b);
}

void emit_skip(struct bench *b, const struct probe *probe, const struct row *row, struct job *job,
	const char *reason)
{
	struct jsonl *l = emit_begin(b, KIND_SKIP);

	if (row)
		put_identity(l, row, 0);
	else
		jsonl_string(l, KEY_PROBE, probe->name);
	jsonl_string(l, KEY_REASON, reason);
	if (job && job->skip_extra) {
		jsonl_object(l, KEY_MORE);
		job->skip_extra(b, job, l);
		jsonl_object_end(l);
	}
	if (b->skipped)
		skipped_add(b->skipped, probe->name, row ? row->variant : "", reason);
	if (!b->skips++)
		text_format(b->first_skip, sizeof b->first_skip, "%s", reason);
	emit_line(b);
}

void emit_end(struct bench *b, const char *status, const char *why)
{
	uint32_t crc_all = b->emit->crc_all;
	struct jsonl *l = emit_begin(b, KIND_END);
	char crc[9];

	jsonl_string(l, KEY_STATUS, status);
	if (why)
		jsonl_string(l, KEY_WHY, why);
	jsonl_integer(l, KEY_ROWS, b->rows);
	jsonl_integer(l, KEY_SUMMARIES, b->summaries);
	jsonl_integer(l, KEY_SKIPS, b->skips);
	jsonl_integer(l, KEY_LINES, b->emit->seq);
	jsonl_number(l, KEY_SECONDS, seconds_of_run(b));
	jsonl_number(l, KEY_OUTPUT_SECONDS, ticks_to_ns(b, (double)b->output_ticks) / 1e9);
	jsonl_number(l, KEY_ARENA_SECONDS, ticks_to_ns(b, (double)b->arena_ticks) / 1e9);
	if (b->room->conclude)
		b->room->conclude(b->room, l);
	levels_put(b, l);
	remarks_put(b->remarks, l);
	for (unsigned i = 0; i < 8; i++)
		crc[i] = "0123456789abcdef"[crc_all >> (28 - 4 * i) & 15];
	crc[8] = 0;
	jsonl_string(l, KEY_CRC_ALL, crc);
	emit_line(b);
}

/* The run line: the machine and the circumstances. */

static void put_cpu(struct jsonl *l, struct room *room)
{
	struct cpu_claim cpu;

	claims_cpu(room, &cpu);
	jsonl_object(l, KEY_CPU);
	jsonl_string(l, KEY_VENDOR, cpu.vendor);
	jsonl_string(l, KEY_BRAND, cpu.brand);
	jsonl_integer(l, KEY_FAMILY, cpu.family);
	jsonl_integer(l, KEY_MODEL, cpu.model);
	jsonl_integer(l, KEY_STEPPING, cpu.stepping);
	if (room->facts.microcode_known)
		jsonl_integer(l, "microcode", room->facts.microcode);
	jsonl_object_end(l);
}

static void put_caches(struct jsonl *l, struct room *room)
{
	static const char *const types[] = { "none", "data", "instruction", "unified" };
	struct cache_claim caches[16];
	unsigned n = claims_caches(room, caches, 16);

	jsonl_array(l, KEY_CACHES_CLAIMED);
	for (unsigned i = 0; i < n; i++) {
		jsonl_object(l, NULL);
		jsonl_integer(l, "level", caches[i].level);
		jsonl_string(l, "type", types[caches[i].type & 3]);
		jsonl_integer(l, KEY_BYTES, caches[i].bytes);
		jsonl_integer(l, "ways", caches[i].ways);
		jsonl_integer(l, "line_bytes", caches[i].line_bytes);
		jsonl_integer(l, "shared_by", caches[i].shared_by);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
}

static void put_tsc(struct jsonl *l, const struct facts *f)
{
	jsonl_number(l, KEY_TSC_HZ, f->tsc_hz);
	jsonl_string(l, KEY_TSC_SOURCE, f->tsc_source);
	jsonl_array(l, "tsc_sources");
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		jsonl_object(l, NULL);
		jsonl_string(l, "name", f->tsc[i].name);
		if (f->tsc[i].hz > 0)
			jsonl_number(l, "hz", f->tsc[i].hz);
		else
			jsonl_number(l, "hz", NOT_A_NUMBER);
		jsonl_bool(l, "claimed", f->tsc[i].claimed);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
	jsonl_number(l, "tsc_disagree_ppm", f->tsc_disagree_ppm);
	jsonl_bool(l, "tsc_invariant", f->tsc_invariant);
}

static void put_if_known(struct jsonl *l, const char *key, uint32_t value)
{
	if (value != UINT32_MAX)
		jsonl_integer(l, key, value);
}

static void put_pages(struct bench *b, struct jsonl *l)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M, PAGE_1G };

	jsonl_array(l, "pages");
	for (unsigned i = 0; i < 3; i++)
		if (b->room->facts.pages & sizes[i])
			jsonl_integer(l, NULL, sizes[i]);
	jsonl_array_end(l);
	jsonl_integer(l, KEY_PAGE_BYTES, b->arena.page_bytes);
	jsonl_integer(l, "arena_bytes", b->arena.bytes);
	put_if_known(l, KEY_ARENA_NODE, b->arena.node);
	b->arena_node = b->arena.node;
}

/* What a setting was set to, by the word that the user has for it. */
static void put_choice(struct jsonl *l, const char *key, const struct bench *b, const char *setting)
{
	char word[16];

	settings_choice(option_settings, option_settings_count, b->opt, setting, word, sizeof word);
	jsonl_string(l, key, word);
}

static void put_prefetch(struct jsonl *l, const struct bench *b)
{
	const struct prefetch *p = &b->prefetch;

	jsonl_object(l, "prefetch");
	put_choice(l, "asked", b, "prefetch");
	if (p->checked)
		jsonl_bool(l, "works", !p->why);
	if (p->why)
		jsonl_string(l, "why", p->why);
	if (p->off_ns > 0) {
		jsonl_number(l, "sequential_on_ns", p->on_ns);
		jsonl_number(l, "sequential_off_ns", p->off_ns);
	}
	jsonl_object_end(l);
}

/* Every control is answered for: by the room, or for a room that has no answer. */
static void put_control(struct bench *b, struct jsonl *l, const char *key, uint64_t choice,
	struct control_answer a)
{
	char none[48];

	jsonl_object(l, key);
	put_choice(l, "asked", b, key);
	if (choice) {
		if (!a.how) {
			text_format(none, sizeof none, "room %s has no way to set it",
				room_names[b->room->kind]);
			a = (struct control_answer){ "", b->room->facts.cpus, none };
		}
		jsonl_bool(l, "set", !a.not_set);
		jsonl_string(l, "how", a.how);
		jsonl_integer(l, "cpus_not_set", a.not_set);
		if (a.why)
			jsonl_string(l, KEY_WHY, a.why);
		if (a.not_set)
			say(b, "%s: %u CPU(s) stay as found: %s\n", key, a.not_set,
				a.why ? a.why : "only others");
	}
	jsonl_object_end(l);
}

static void put_topology(struct jsonl *l, const struct facts *f)
{
	if (!f->topology)
		return;
	jsonl_array(l, KEY_TOPOLOGY);
	for (unsigned i = 0; i < f->cpus; i++) {
		const struct cpu_location *p = &f->topology[i];

		jsonl_object(l, NULL);
		put_if_known(l, "id", p->id);
		put_if_known(l, "package", p->package);
		put_if_known(l, "die", p->die);
		put_if_known(l, "core", p->core);
		put_if_known(l, "thread", p->thread);
		put_if_known(l, "node", p->node);
		put_if_known(l, "l3", p->l3);
		if (p->core_type)
			jsonl_integer(l, "core_type", p->core_type);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
}

/* Which run it is, and of which machine, unless the user does not want that published. */
static void put_host(struct jsonl *l, const struct bench *b)
{
	const struct host *h = &b->room->facts.host;
	const char *const members[][2] = { { KEY_UUID, h->uuid }, { "serial", h->serial },
		{ "mac", h->mac } };

	if (*b->opt->run_id)
		jsonl_string(l, KEY_RUN_ID, b->opt->run_id);
	if (b->opt->runs > 1) {
		jsonl_integer(l, KEY_RUN, b->opt->run);
		jsonl_integer(l, KEY_RUNS, b->opt->runs);
	}
	if (b->opt->identity == IDENTITY_OFF || !(*h->uuid || *h->serial || *h->mac))
		return;
	jsonl_object(l, KEY_HOST);
	for (unsigned i = 0; i < 3; i++)
		if (*members[i][1])
			jsonl_string(l, members[i][0], members[i][1]);
	jsonl_object_end(l);
}

static void put_known(struct jsonl *l, const char *key, const char *text)
{
	if (*text)
		jsonl_string(l, key, text);
}

static void put_positive(struct jsonl *l, const char *key, uint64_t number)
{
	if (number)
		jsonl_integer(l, key, number);
}

static void put_modules(struct jsonl *l, const struct host *h)
{
	jsonl_array(l, "modules");
	for (unsigned i = 0; i < h->nkinds; i++) {
		const struct module_kind *m = &h->modules[i];

		jsonl_object(l, NULL);
		jsonl_integer(l, "count", m->count);
		jsonl_integer(l, KEY_BYTES, m->bytes);
		put_known(l, "type", m->type);
		put_positive(l, "mts", m->mts);
		put_positive(l, "rated_mts", m->rated_mts);
		put_positive(l, "width_bits", m->width_bits);
		put_positive(l, "ranks", m->ranks);
		put_known(l, "maker", m->maker);
		put_known(l, "part", m->part);
		put_known(l, "slots", m->slots);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
	put_positive(l, "modules_not_shown", h->others);
	put_positive(l, "slots", h->slots);
}

/* What the firmware claims of the machine, and which of that cannot be. */
static void put_smbios(struct jsonl *l, const struct facts *f)
{
	const struct host *h = &f->host;
	char memory[MODULES_TEXT];
	const char *why;
	double limit = modules_limit_gbs(h, f->memory_bytes, &why);

	modules_text(h, memory);
	jsonl_object(l, KEY_SMBIOS);
	put_known(l, "firmware_vendor", h->firmware_vendor);
	put_known(l, "firmware_version", h->firmware_version);
	put_known(l, "firmware_date", h->firmware_date);
	put_known(l, "system", h->system);
	put_known(l, KEY_BOARD, h->board);
	put_known(l, KEY_MODULES, memory);
	jsonl_number(l, KEY_MODULES_GBS, limit);
	if (why)
		jsonl_string(l, KEY_WHY, why);
	if (h->nkinds)
		put_modules(l, h);
	jsonl_object_end(l);
}

static void put_may_be(struct jsonl *l, const struct facts *f)
{
	static const char *const what[] = { "", "virtual", "emulated" };

	jsonl_string(l, KEY_MAY_BE, what[f->may_be]);
	if (f->may_be)
		jsonl_string(l, KEY_MAY_BE_WHY, f->may_be_why);
}

void emit_run(struct bench *b)
{
	struct jsonl *l = emit_begin(b, KIND_RUN);
	const struct facts *f = &b->room->facts;

	jsonl_string(l, KEY_SCHEMA, RESULT_SCHEMA);
	jsonl_string(l, KEY_BUILD, f->build);
	jsonl_string(l, "compiler", "gcc " __VERSION__);
	put_cpu(l, b->room);
	put_caches(l, b->room);
	jsonl_integer(l, KEY_CPUS, f->cpus);
	put_topology(l, f);
	jsonl_bool(l, KEY_EMULATED, f->emulated);
	jsonl_string(l, KEY_HYPERVISOR, f->hypervisor);
	put_may_be(l, f);
	put_tsc(l, f);
	jsonl_number(l, KEY_CORE_HZ, b->core_hz > 0 ? b->core_hz : NOT_A_NUMBER);
	jsonl_integer(l, "node_bytes", b->node_bytes);
	if (b->node_bytes_votes)
		jsonl_integer(l, "node_bytes_votes", b->node_bytes_votes);
	put_pages(b, l);
	if (f->memory_bytes)
		jsonl_integer(l, "memory_bytes", f->memory_bytes);
	jsonl_integer(l, "seed", b->opt->seed);
	put_choice(l, KEY_PROFILE, b, "profile");
	jsonl_string(l, "probes", b->opt->probes);
	if (b->opt->source)
		put_choice(l, KEY_SOURCE, b, "source");
	put_host(l, b);
	put_smbios(l, f);
	put_known(l, "acpi_maker", f->acpi_maker);
	put_prefetch(l, b);
#define CPU_CONTROL(key) put_control(b, l, #key, b->opt->key, b->room->controls[CONTROL_##key]);
#include "engine/cpu_controls.inc"
#undef CPU_CONTROL
	emit_counts_known(l, b->room);
	speed_describe(b->room, l);
	if (b->room->describe)
		b->room->describe(b->room, l);
	emit_line(b);
}

/* Summary lines: what was found, beside what CPUID claims. */

#define CLAIM_AWAY 0.01 /* of the value, at most, where there is no bracket; docs/format.md */

static bool has_bracket(const struct summary *s)
{
	return s->low <= s->high && s->high > 0;
}

/*
 * So many that they did not fit are not what the processor has. But a buffer as large as a cache
 * loses lines in it to whatever else is used.
 */
static bool high_is_too_many(const struct summary *s)
{
	return s->edge && s->low < s->high && strcmp(s->unit, "bytes") != 0;
}

/*
 * Whether what CPUID claims agrees with what was measured; both are known. The claim must lie in
 * the bracket, to which both ends belong, but of a count not the upper one; without a bracket,
 * within 1 % of the value.
 */
static bool summary_agrees(const struct summary *s)
{
	double low = s->rise[0] > 0 ? math_min(s->low, s->rise[0]) : s->low;

	if (has_bracket(s))
		return s->claimed >= low &&
			(s->claimed <= s->rise[2] || s->claimed < s->high ||
				(s->claimed == s->high && !high_is_too_many(s)));
	return math_abs(s->claimed - s->value) <= CLAIM_AWAY * math_abs(s->value);
}

static void put_floor(struct jsonl *l, const struct summary *s)
{
	jsonl_number(l, KEY_FLOOR, s->floor);
	if (s->floor_high > 0) {
		jsonl_number(l, "floor_low", s->floor_low);
		jsonl_number(l, "floor_high", s->floor_high);
	}
	jsonl_number(l, KEY_DISTURBED_SHARE, s->disturbed_share);
}

static void emit_summary(struct bench *b, const struct summary *s, const struct probe *by)
{
	struct jsonl *l = emit_begin(b, KIND_SUMMARY);

	jsonl_string(l, KEY_NAME, s->name);
	jsonl_string(l, KEY_PROBE, by->name);
	jsonl_number(l, KEY_VALUE, s->value);
	jsonl_string(l, KEY_UNIT, s->unit);
	if (has_bracket(s)) {
		jsonl_number(l, KEY_LOW, s->low);
		jsonl_number(l, KEY_HIGH, s->high);
	}
	if (s->rise[0] > 0) {
		jsonl_number(l, KEY_RISE_10, s->rise[0]);
		jsonl_number(l, KEY_RISE_50, s->rise[1]);
		jsonl_number(l, KEY_RISE_90, s->rise[2]);
	}
	jsonl_number(l, KEY_CLAIMED, s->claimed);
	if (math_finite(s->value) && math_finite(s->claimed))
		jsonl_bool(l, KEY_AGREES, summary_agrees(s));
	jsonl_number(l, KEY_CONFIDENCE, s->confidence);
	if (s->has_floor)
		put_floor(l, s);
	if (*s->form)
		jsonl_string(l, KEY_FORM, s->form);
	jsonl_string(l, "rests_on", s->rests_on);
	if (s->page_bytes)
		jsonl_integer(l, KEY_PAGE_BYTES, s->page_bytes);
	if (s->reason)
		jsonl_string(l, KEY_REASON, s->reason);
	b->summaries++;
	emit_line(b);
}

void emit_found(struct bench *b)
{
	const struct found_values *f = b->found;

	for (unsigned i = 0; i < f->n; i++)
		emit_summary(b, &f->list[i], f->by[i]);
}
