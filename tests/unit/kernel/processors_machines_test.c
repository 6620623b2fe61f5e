/* SPDX-License-Identifier: MIT */
/* The claims and the topology of whole machines, from what their CPUID says. */
#include "kernel/smp/processors.c"
#include "engine/claims.h"
#include "engine/room.h"
#include "tests/unit/test.h"

#define LEAVES_MOST  64
#define THREADS_MOST 512
#define TEXT         1024

static const struct machine_words {
	const char *name, *is, *says;
} machines[] = {
#define MACHINE(name, is, says) { name, is, says },
#include "tests/unit/kernel/machines.inc"
#undef MACHINE
};

/* The CPU that executes: what it shares with all, and what its kind has instead. */
static struct leaf {
	uint32_t leaf, subleaf, words[4];
} leaves[LEAVES_MOST];
static unsigned nleaves, nshared; /* the shared ones come first */
static uint32_t own_id_of_cpu;

static struct cpuid answer(uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = nleaves; i-- > 0;) {
		const uint32_t *w = leaves[i].words;

		if (leaves[i].leaf != leaf || leaves[i].subleaf != subleaf)
			continue;
		if (leaf == 1)
			return (struct cpuid){ w[0], w[1] | own_id_of_cpu << 24, w[2], w[3] };
		if (leaf == 0x0b || leaf == 0x1f)
			return (struct cpuid){ w[0], w[1], w[2], own_id_of_cpu };
		return (struct cpuid){ w[0], w[1], w[2], w[3] };
	}
	return (struct cpuid){ 0, 0, 0, 0 };
}

static struct cpuid room_answer(struct room *r, uint32_t leaf, uint32_t subleaf)
{
	return answer(leaf, subleaf);
}

static struct room room = { .cpuid = room_answer };
static const struct cpu_ops cpu = { .cpuid = answer };

/* Leaf 0 of a maker; read_leaf adds its EAX. */
static uint32_t maker[4];

static void read_maker(char letter)
{
	static const char letters[] = "AHICS";
	static const char *const makers[] = { "AuthenticAMD", "HygonGenuine", "GenuineIntel",
		"CentaurHauls", "  Shanghai  " };
	const char *at = strchr(letters, letter);

	assert_non_null(at);
	memcpy(&maker[1], makers[at - letters], 4);
	memcpy(&maker[3], makers[at - letters] + 4, 4);
	memcpy(&maker[2], makers[at - letters] + 8, 4);
}

/* Read "e1d.3:3c163,3c0003f,7fff". Returns the text behind it. */
static const char *read_leaf(const char *text)
{
	assert_true(nleaves < LEAVES_MOST);
	struct leaf *l = &leaves[nleaves++];
	char *at;

	*l = (struct leaf){ 0 };
	bool extended = *text == 'e' && text[1] != ':';
	l->leaf = (uint32_t)strtoul(text + extended, &at, 16) | (extended ? 0x80000000 : 0);
	if (*at == '.')
		l->subleaf = (uint32_t)strtoul(at + 1, &at, 16);
	assert_int_equal(*at, ':');
	for (unsigned i = 0; (*at == ':' || *at == ',') && i < 4; i++) {
		char *word = at + 1;

		at = word;
		if (*word != ',' && *word != ' ')
			l->words[i] = (uint32_t)strtoul(word, &at, 16);
	}
	for (unsigned i = 1; i < 4 && l->leaf == 0; i++)
		l->words[i] = maker[i];
	return *at ? at + 1 : at;
}

/* Read "0-b,10-1e/2". Returns the text behind it. */
static const char *read_ids(const char *text, uint32_t *ids, unsigned *n)
{
	char *at = (char *)text;

	do {
		unsigned long first = strtoul(at, &at, 16), last = first, step = 1;

		if (*at == '-')
			last = strtoul(at + 1, &at, 16);
		if (*at == '/')
			step = strtoul(at + 1, &at, 16);
		for (; first <= last; first += step) {
			assert_true(*n < THREADS_MOST);
			ids[(*n)++] = (uint32_t)first;
		}
	} while (*at++ == ',');
	return at[-1] ? at : at - 1;
}

static void append(char out[TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char out[TEXT], const char *format, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, format);
	assert_true((size_t)vsnprintf(out + used, TEXT - used, format, args) < TEXT - used);
	va_end(args);
}

/* What was found of a machine. */
static struct found_machine {
	char claims[TEXT];
	struct cpu_location cpus[THREADS_MOST];
	unsigned n;
} found_machine;

static void write_size(char *out, uint64_t bytes)
{
	bool kib = bytes % MIB;

	append(out, "%u%c", (unsigned)(bytes / (kib ? KIB : MIB)), kib ? 'K' : 'M');
}

static void write_entries(char *out, unsigned pages)
{
	for (unsigned level = 1; level <= 2; level++) {
		double entries = claims_tlb_entries(&room, level, pages);

		append(out, "%s", level == 1 ? " " : "+");
		if (entries > 0)
			append(out, "%.0f", entries);
		else
			append(out, "-");
	}
}

/* The caches and translation buffers of the CPU that executes, behind what is there. */
static void write_claims(char *out)
{
	struct cache_claim caches[16];
	unsigned n = claims_caches(&room, caches, 16);

	for (unsigned i = 0; i < n; i++) {
		append(out, "%s", i ? " " : "");
		write_size(out, caches[i].bytes);
		append(out, "/%u", caches[i].ways);
	}
	append(out, ",");
	write_entries(out, TLB_4K);
	write_entries(out, TLB_2M);
	write_entries(out, TLB_1G);
}

static void read_machine(const struct machine_words *m, struct found_machine *f)
{
	const char *at = m->says + 2;

	read_maker(*m->says);
	*f->claims = 0;
	f->n = nleaves = nshared = 0;
	while (*at) {
		uint32_t ids[THREADS_MOST];
		unsigned n = 0;

		while (*at && *at != '@')
			at = read_leaf(at);
		nshared = nshared ? nshared : nleaves;
		nleaves = nshared;
		assert_int_equal(*at, '@');
		at = read_ids(at + 1, ids, &n);
		while (*at && *at != '@')
			at = read_leaf(at);
		append(f->claims, "%s", f->n ? " / " : "");
		write_claims(f->claims);
		for (unsigned i = 0; i < n; i++) {
			own_id_of_cpu = ids[i];
			f->cpus[f->n++] = topology_of(&cpu);
		}
	}
	nleaves = nshared;
}

/* How many CPUs are the first of their package, or of their core. */
static unsigned units(const struct found_machine *f, bool cores)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct cpu_location *a = &f->cpus[i];
		bool first = true;

		for (unsigned k = 0; k < i && first; k++) {
			const struct cpu_location *b = &f->cpus[k];

			first = a->package != b->package || (cores && a->core != b->core);
		}
		n += first;
	}
	return n;
}

static void write_types(char *out, const struct found_machine *f)
{
	for (uint32_t type = 1; type < 256; type++) {
		unsigned n = 0;

		for (unsigned i = 0; i < f->n; i++)
			n += f->cpus[i].core_type == type;
		if (n)
			append(out, " %x:%u", type, n);
	}
}

static void write_mhz(char *out, double hz)
{
	if (hz > 0)
		append(out, " %.0f", hz / 1e6);
	else
		append(out, " -");
}

static bool is_wrong(const struct machine_words *m)
{
	static const char letters[] = "AHIC", firsts[] = "AHGC";
	struct found_machine *f = &found_machine;
	struct cpu_claim claim;
	char is[TEXT] = "";

	read_machine(m, f);
	claims_cpu(&room, &claim);
	const char *letter = strchr(firsts, *claim.vendor);
	append(is, "%c %u.%u, %u %u %u", letter ? letters[letter - firsts] : *claim.vendor,
		claim.family, claim.model, units(f, false), units(f, true), f->n);
	write_types(is, f);
	append(is, ",");
	write_mhz(is, identity_tsc_15h(&room));
	write_mhz(is, identity_tsc_16h(&room));
	write_mhz(is, identity_bus_hz(&room));
	append(is, ", %s", f->claims);
	bool wrong = strcmp(is, m->is);
	if (wrong)
		print_error("%s (tests/unit/kernel/machines.inc):\n  expected %s\n  came     %s\n",
			m->name, m->is, is);
	return wrong;
}

TEST(machines_are_what_they_are)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		wrong += is_wrong(&machines[i]);
	assert_true(sizeof machines / sizeof *machines >= 60);
	assert_int_equal(wrong, 0);
}
