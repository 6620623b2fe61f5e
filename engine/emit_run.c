/* SPDX-License-Identifier: MIT */
/* The run line: the machine and the circumstances. */
#include "engine/claims.h"
#include "engine/doubts.h"
#include "engine/emit.h"
#include "engine/probe_api.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"

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
	static const size_t sizes[] = PAGE_SIZES;

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

/* Adds the value of a setting, as the word that the user has for it. */
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
			tell(b, "%s: %u CPU(s) stay as found: %s\n", key, a.not_set,
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
			jsonl_integer(l, KEY_CORE_TYPE, p->core_type);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
}

/* Add the identity of the run and of the machine, unless the user does not want it published. */
static void put_host(struct jsonl *l, const struct bench *b)
{
	const struct host *h = &b->room->facts.host;
	const char *const members[][2] = { { KEY_UUID, h->uuid }, { KEY_SERIAL, h->serial },
		{ KEY_MAC, h->mac } };

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

/* Adds the firmware's claims of the machine, and which of them cannot be. */
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
	emit_speed(b->room, l);
	if (b->room->describe)
		b->room->describe(b->room, l);
	emit_line(b);
}
