/* SPDX-License-Identifier: MIT */
/* Several cores: lines handed over, memory of two nodes, and who goes first; cycles by hand. */
#include "tests/kam/cpu/chip.h"
#include "tests/kam/run/turns.h"
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define CORES   4
#define REMOTE  (1ull << 40) /* memory of node 1 begins here; below is that of node 0 */
#define LATENCY 200          /* of memory, as test_cpu has it; L3: 42, L2: 14, L1: 4 */

/* Cores 0 and 1 share a last cache, 2 and 3 another one. */
struct stated_machine {
	struct cpu cpu;
	struct chip chip;
	struct model core[CORES];
};

static struct cpu four_cores(void)
{
	struct cpu c = test_cpu();

	c.cpus = CORES;
	c.l3_domains = 2;
	c.nodes = 1;
	c.transfer = 100;
	c.transfer_far = 230;
	c.transfer_node = 370;
	c.home_cost = 50;
	c.remote_latency = 130;
	return c;
}

static void open_machine(struct stated_machine *m, struct cpu cpu)
{
	m->cpu = cpu;
	chip_init(&m->chip, &m->cpu);
	for (unsigned i = 0; i < CORES; i++) {
		model_init_core(&m->core[i], &m->cpu, chip_uncore(&m->chip, i));
		chip_join(&m->chip, i, &m->core[i].memory);
	}
	chip_place(&m->chip, REMOTE, 1ull << 30, 1);
}

static void close_machine(struct stated_machine *m)
{
	for (unsigned i = 0; i < CORES; i++)
		model_free(&m->core[i]);
	chip_free(&m->chip);
}

/* Every core is idle up to the same cycle, which is returned. */
static uint64_t together(struct stated_machine *m)
{
	uint64_t t = 0;

	for (unsigned i = 0; i < CORES; i++)
		t = drain(&m->core[i]) > t ? model_clock(&m->core[i]) : t;
	for (unsigned i = 0; i < CORES; i++)
		model_wait_until(&m->core[i], t);
	m->chip.now = t;
	return t;
}

/* Cycles of a load; its translation is known from a load of the same page before. */
static uint64_t load_cycles(struct stated_machine *m, unsigned core, uint64_t address)
{
	uint64_t t;

	load(&m->core[core], 1, 2, address ^ 2048);
	t = together(m);
	return load(&m->core[core], 1, 2, address) - t;
}

/* When a store is in L1, cycles after it entered; translated likewise. */
static uint64_t store_cycles(struct stated_machine *m, unsigned core, uint64_t address)
{
	uint64_t t;

	load(&m->core[core], 1, 2, address ^ 2048);
	t = together(m);
	store(&m->core[core], 3, address);
	return m->core[core].stores.committed - t;
}

TEST(test_modified)
{
	static const struct {
		unsigned from, to;
		uint64_t nodes, cycles;
	} cases[] = {
		{ 0, 1, 1, 100 },
		{ 1, 0, 1, 100 },
		{ 0, 2, 1, 230 },
		{ 3, 1, 1, 230 },
		{ 2, 3, 2, 100 },
		{ 1, 2, 2, 370 },
	};
	struct stated_machine m;

	for (unsigned k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct cpu c = four_cores();

		c.nodes = cases[k].nodes;
		open_machine(&m, c);
		store_cycles(&m, cases[k].from, 64);
		assert_int_equal(load_cycles(&m, cases[k].to, 64), cases[k].cycles);
		assert_int_equal(load_cycles(&m, cases[k].to, 64), 4); /* now it has a copy */
		assert_int_equal(load_cycles(&m, cases[k].from, 64),
			4); /* and the first one still */
		assert_int_equal(store_cycles(&m, cases[k].from, 64), cases[k].cycles); /* taken */
		assert_int_equal(store_cycles(&m, cases[k].from, 64), 4);
		assert_int_equal(store_cycles(&m, cases[k].to, 64), cases[k].cycles);
		assert_int_equal(load_cycles(&m, cases[k].from, 64), cases[k].cycles);
		close_machine(&m);
	}
}

/* A store that another core's load waits for: it owns the line only then. */
TEST(test_handed_over_when_owned)
{
	struct stated_machine m;
	uint64_t t;

	open_machine(&m, four_cores());
	load_cycles(&m, 0, 64);
	load_cycles(&m, 1, 64);
	t = together(&m);
	store(&m.core[0], 3, 64); /* takes the line from core 1: until t + 100 */
	assert_int_equal(load(&m.core[1], 1, 2, 64) - t, 200);
	close_machine(&m);
}

TEST(test_clean)
{
	struct stated_machine m;

	open_machine(&m, four_cores());
	assert_int_equal(load_cycles(&m, 0, 64), LATENCY);
	assert_int_equal(load_cycles(&m, 1, 64), 42);      /* in the last cache that they share */
	assert_int_equal(load_cycles(&m, 2, 64), LATENCY); /* not in the other one */
	assert_int_equal(load_cycles(&m, 3, 64), 42);
	assert_int_equal(store_cycles(&m, 1, 64), 230); /* the farthest who has it */
	assert_int_equal(load_cycles(&m, 3, 64), 230);
	close_machine(&m);
}

/* A line that was written and evicted is in the writer's last cache. */
TEST(test_modified_in_last_cache)
{
	struct stated_machine m;

	open_machine(&m, four_cores());
	store_cycles(&m, 0, 64);
	for (uint64_t n = 1; n <= 16; n++)
		load(&m.core[0], 1, 2, 64 + n * 32768); /* the same set of L1 and of L2 */
	assert_int_equal(load_cycles(&m, 1, 64), 42);
	store_cycles(&m, 0, 128);
	for (uint64_t n = 1; n <= 16; n++)
		load(&m.core[0], 1, 2, 128 + n * 32768);
	assert_int_equal(load_cycles(&m, 2, 128), 230);
	close_machine(&m);
}

TEST(test_flush)
{
	struct stated_machine m;

	open_machine(&m, four_cores());
	store_cycles(&m, 2, 64);
	together(&m);
	simple(&m.core[0], INSN_FLUSH, 64);
	assert_int_equal(load_cycles(&m, 2, 64), LATENCY);
	close_machine(&m);
}

TEST(test_home)
{
	struct cpu c = four_cores();
	struct stated_machine m;

	c.home = 1;
	open_machine(&m, c);
	store_cycles(&m, 0, 64); /* its home: the domain of cores 0 and 1 */
	assert_int_equal(load_cycles(&m, 1, 64), 100);
	assert_int_equal(load_cycles(&m, 2, 64), 230);  /* modified in the other last cache */
	assert_int_equal(store_cycles(&m, 2, 64), 230); /* from 0 and 1 */
	assert_int_equal(load_cycles(&m, 3, 64), 150);  /* home is far */
	store_cycles(&m, 3, 128);
	assert_int_equal(load_cycles(&m, 2, 128), 100);
	close_machine(&m);
}

TEST(test_nodes)
{
	struct cpu c = four_cores();
	struct stated_machine m;

	c.nodes = 2;
	open_machine(&m, c);
	assert_int_equal(load_cycles(&m, 1, 64), LATENCY);
	assert_int_equal(load_cycles(&m, 1, REMOTE), LATENCY + 130);
	assert_int_equal(load_cycles(&m, 3, REMOTE + 64), LATENCY);
	assert_int_equal(load_cycles(&m, 3, 128), LATENCY + 130);
	close_machine(&m);
}

/* Cycles of 200 independent lines from a node, without a limit by buffers. */
static uint64_t stream_cycles(struct stated_machine *m, unsigned core, uint64_t from)
{
	uint64_t n, t, done = 0;

	memory_map_parts(&m->core[core].memory, from, 1ull << 30);
	load(&m->core[core], 1, 2, from + (1 << 22) + (1 << 20)); /* the translation */
	t = together(m);
	for (n = 0; n < 200; n++)
		done = load(&m->core[core], 1, 2, from + (1 << 22) + 128 + n * 64);
	return done - t;
}

TEST(test_channels)
{
	struct cpu c = four_cores();
	struct stated_machine m;

	c.nodes = 2;
	c.memory_gap = 20;
	c.link_gap = 30;
	c.window = 1024;
	c.level[0].buffers = 200;
	open_machine(&m, c);
	assert_int_equal(stream_cycles(&m, 0, 0), 199 * 20 + LATENCY);
	assert_int_equal(stream_cycles(&m, 0, REMOTE), 199 * 30 + LATENCY + 130);
	assert_int_equal(stream_cycles(&m, 2, REMOTE + (1 << 23)), 199 * 20 + LATENCY);
	close_machine(&m);
}

/* --- turns --- */

static struct team {
	struct turns turns;
	struct stated_machine machine;
	uint64_t requested[CORES];
	uint64_t latency; /* of the one that chases, in cycles */
	bool over;
} team;

static uint64_t clock_of(void *priv, unsigned core)
{
	uint64_t clock = model_clock(&team.machine.core[core]);

	return clock > team.requested[core] ? clock : team.requested[core];
}

static void begins(void *priv)
{
}

static void requests(void *priv, uint64_t cycle)
{
	unsigned self = team.turns.current;

	if (team.requested[self] < cycle)
		team.requested[self] = cycle;
	if (clock_of(NULL, self) > team.turns.until)
		turns_yield(&team.turns);
}

/* Reads lines one after the other until told to stop. */
static void read_on(void *arg)
{
	unsigned core = *(unsigned *)arg;
	uint64_t line = (core + 1ull) << 20;

	for (; !team.over; line++) {
		load(&team.machine.core[core], 1, 2, line * 64);
		if (clock_of(NULL, core) > team.turns.until)
			turns_yield(&team.turns);
	}
}

/* Loads that wait for one another, on core 0, while `busy` others read. */
static uint64_t loaded_latency(unsigned busy, uint64_t gap)
{
	static unsigned numbers[CORES] = { 0, 1, 2, 3 };
	struct cpu c = four_cores();
	uint64_t n, t;

	c.memory_gap = gap;
	team.over = false;
	memset(team.requested, 0, sizeof(team.requested));
	open_machine(&team.machine, c);
	team.machine.chip.requests = requests;
	turns_init(&team.turns, CORES, clock_of, begins, NULL);
	for (n = 1; n <= busy; n++)
		turns_start(&team.turns, (unsigned)n, read_on, &numbers[n]);
	for (n = 0; n < 200; n++)
		load(&team.machine.core[0], 1, 1, n * 4160);
	t = team.machine.core[0].completed;
	for (n = 200; n < 1200; n++)
		load(&team.machine.core[0], 1, 1, n * 4160);
	t = (team.machine.core[0].completed - t) / 1000;
	team.over = true;
	for (n = 1; n <= busy; n++)
		while (turns_running(&team.turns, (unsigned)n)) {
			model_idle(&team.machine.core[0], 1000);
			turns_yield(&team.turns);
		}
	turns_free(&team.turns);
	close_machine(&team.machine);
	return t;
}

/* Ten lines a core are under way at most: so many times the gap is what the last one waits. */
TEST(test_loaded_latency)
{
	uint64_t some, full;

	assert_int_equal(loaded_latency(0, 10), LATENCY + 1); /* a walk takes one cycle */
	some = loaded_latency(1, 10);                         /* a line in 20 cycles: half of all */
	assert_in_range(some, LATENCY + 1, LATENCY + 1 + 20);
	full = loaded_latency(3, 10); /* 31 lines in 310 cycles */
	assert_in_range(full, 290, 330);
	assert_int_equal(loaded_latency(3, 10), full);
}
