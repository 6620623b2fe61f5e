/* SPDX-License-Identifier: MIT */
/* `branch`: coins, what a predictor remembers, targets, returns, and the words of a source. */
#include <math.h>

#include "tests/kam/judge/predictor_oracle.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(PENALTY, 1, "cycles", "the branch resolves with its group of four, or with the next")
TOLERANCE(PREDICTOR, 5, "%", "the branches of the loop itself are remembered, too")
TOLERANCE(TARGETS, 5, "%", "the jumps of the loop itself take targets")
TOLERANCE(PREDICTOR_SOFT, 20, "%", "tables that forget: what a period costs depends on its coins")
TOLERANCE(STATES, 2, "octaves",
	"the state machine's periods are powers of two, and none is bisected")
TOLERANCE(RESOLVED, 10, "cycles", "until a branch that waits for a load is resolved")
TOLERANCE(EARLY, 2, "cycles", "below the penalty: what the front end had ready")
TOLERANCE(PENALTY_LESS, 2.5, "cycles",
	"of the row that PENALTY is read from, before its correction")
TOLERANCE(PENALTY_MORE, 3, "cycles", "likewise")
TOLERANCE(PERIOD_LESS, 10, "%", "below its instructions: two turns in a group")
TOLERANCE(PERIOD_MORE, 40, "%", "above them: a group ends at a taken branch")
TOLERANCE(CALL_LESS, 0.05, "cycles", "of a call and its return, which are two jumps")
TOLERANCE(CALL_MORE, 0.1, "cycles", "likewise")
TOLERANCE(FIRST_CALL, 4.5, "cycles", "the first call and the last return of a descent")
TOLERANCE(WORD_FREE, 1.2, "times", "branches at random over branches in turn")
TOLERANCE(WORD_EVEN, 1.1, "times", "likewise, whose turn takes two branches")
TOLERANCE(WORD_RANDOM, 1.5, "times", "coins over a pattern")
TOLERANCE(WORD_KNOWN, 0.9, "times", "likewise where every branch is known")
TOLERANCE(WORDS_LESS, 10, "%", "words that are odd and even in turn, under the cheaper ones")
TOLERANCE(WORDS_MORE, 2, "%", "the same above the dearer ones: some are learned during the samples")
TOLERANCE(AROUND_MISSES, 20, "mispredictions",
	"likewise: the ends of three loops, and what is said of plain C")
TOLERANCE(SIGMAS, 5, "deviations", "of half of so many coins")

#define PASSES_MOST   20     /* of the learning curve */
#define LEARNED       2000   /* branches in a pass of it */
#define WORDS         10000  /* of a row printed- */
#define PERIOD_STEP   1.5    /* from one period to the next */
#define LOOP_TARGETS  4      /* of the loop around the jumps: call, return, loop */
#define TARGETS_MOST  131072 /* that are tried */
#define TARGETS_SMOKE 32768
#define DEPTH_MOST    64
#define BITS          8192.0 /* of a sample */

#define HALF            0.5 /* of what is lost in the end; */
#define RISE_10         0.1 /* of what is lost in the end */
#define RISE_90         0.9
#define GUESSED_WRONG   0.5  /* of coins */
#define TURN_LEAST      8    /* instructions of a turn of `period`, two of them taken branches; */
#define TURN_MOST       10   /* more where groups end at a branch */
#define STEP_LEAST      10   /* instructions of a step of the state machine, */
#define STEP_MOST       11   /* or one more; */
#define STEP_TIMES      2    /* times as long where groups end at a branch, */
#define TAKEN_MOST      3    /* and a cycle for each jump that is taken */
#define STATES_CALL     60   /* cycles of a call of it */
#define STATES_CACHED   4096 /* elements of four bytes: in any L1 of a machine */
#define LOST_LEAST      0.25 /* mispredictions of a step of data that are too many */
#define FORWARDED       40   /* cycles for two variables that are on the stack */
#define FORGETS_LATE    0.15 /* of the rise, in the last octave of periods */
#define NEAR_MOST       0.95 /* of the periods that are tried */
#define NEAR_LEAST      1.2
#define LEARNED_CLEARLY 1.5  /* times a pass */
#define FEW_ALUS        1.1  /* cycles: three computations a bit, as if groups were narrower */
#define FORGETS         0.03 /* of a capacity: at its edge a row may be on either side */

enum { PLAIN_STATES, RANDOM_STATES, ON_STACK };

/* Half of the coins are guessed wrong: each costs the penalty and what it takes to resolve it. */
static void coins(const struct judged *j, const char *name, double random, double plain)
{
	double penalty = (double)j->cpu->penalty, each = 2 * (random - plain);
	bool guessed =
		j->cpu->predictor == PREDICTOR_HISTORY || j->cpu->predictor == PREDICTOR_BIMODAL;

	if (isnan(each) || !guessed || !undisturbed(j->cpu))
		return;
	tally_value(j->tally, name, penalty, each, "penalty, +10 cycles",
		each > penalty - EARLY && each < penalty + RESOLVED ? NULL : "out of tolerance");
}

/*
 * A step of the state machine costs its instructions at least. Random data of which the predictor
 * knows all cost no misprediction, and data that are too many one in four steps or more; where a
 * branch is never predicted, each costs one. Data beyond the caches may take any time.
 */
static struct wanted states(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double n = param_of(row, "elements"), known = (double)c->capacity;
	double rate = fmin((double)c->width, (double)c->alus + 2), width = (double)c->width;
	double least = STEP_LEAST / width;
	double most = STEP_TIMES * STEP_MOST / rate + TAKEN_MOST + STATES_CALL / n +
		(of == ON_STACK ? FORWARDED : 0);
	double penalty = (double)c->penalty, lost = c->predictor == PREDICTOR_NEVER ? 4 : 1;

	if (!undisturbed(c) || c->predictor == PREDICTOR_TAGGED)
		return anything();
	if (of == RANDOM_STATES && c->predictor == PREDICTOR_HISTORY && n > 2 * known)
		least += LOST_LEAST * fmax(0, penalty - EARLY);
	if (c->predictor == PREDICTOR_PERFECT ||
		(c->predictor == PREDICTOR_HISTORY && 4 * n < known))
		lost = 0;
	return between(less(least, PERIOD_LESS),
		n > STATES_CACHED ? INFINITY : most + lost * (penalty + RESOLVED));
}

/* Judge the range over which a predictor forgets gradually, to a step of the sweep. */
static void soft_predictor(const struct judged *j)
{
	static const char *const keys[] = { "rise_10", "rise_90" };
	json_t *line = summary_of(j->run, "predictor_branches");
	unsigned i;

	if (j->cpu->predictor != PREDICTOR_TAGGED || isnan(number_of(line, "value")))
		return;
	for (i = 0; i < 2; i++) {
		double truth = period_at(j->cpu, PERIOD_FROM, longest_period(j->cpu),
			i ? RISE_90 : RISE_10);
		double got = number_of(line, keys[i]);

		tally_value(j->tally, i ? "predictor:rise_90" : "predictor:rise_10", truth, got,
			"a step of the sweep",
			got > truth / j->grid && got < truth * j->grid ? NULL : "out of tolerance");
	}
}

/* The row from which the summary reads the penalty. */
static struct wanted penalty(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	bool guessed = c->predictor == PREDICTOR_HISTORY || c->predictor == PREDICTOR_BIMODAL;

	if (!undisturbed(c) || !guessed || c->penalty < 2)
		return anything();
	return between((double)c->penalty - PENALTY_LESS, (double)c->penalty + PENALTY_MORE);
}

/*
 * Returns the bounds of a cost that is low..high without mispredictions, if this share is
 * mispredicted.
 */
static struct wanted with_mispredicted(const struct judged *j, double low, double high,
	double share)
{
	double penalty = (double)j->cpu->penalty;

	return between(low + share * fmax(0, penalty - EARLY), high + share * (penalty + RESOLVED));
}

/* A known pattern costs its instructions; half of an unknown one is guessed wrong. */
static struct wanted period(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double times = param_of(row, "elements") / (double)c->capacity;
	double rate = fmin((double)c->width, (double)c->alus + 2);
	double least = fmax(2, TURN_LEAST / rate), most = fmax(2, TURN_MOST / rate);

	if (!undisturbed(c) || c->predictor != PREDICTOR_HISTORY || fabs(times - 1) < FORGETS)
		return anything();
	return with_mispredicted(j, less(least, PERIOD_LESS), more(most, PERIOD_MORE),
		times > 1 ? GUESSED_WRONG : 0);
}

static bool near_edge(double n, double known)
{
	return n > known * (1 - FORGETS) - 4 && n < known * (1 + FORGETS);
}

/* One taken jump a cycle; a target that is not known to the first level, or to any, costs more. */
static struct wanted targets(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double n = param_of(row, "targets"), first = (double)c->targets;
	double all = first + (double)c->targets_2;

	if (!undisturbed(c) || near_edge(n, first) || near_edge(n, all))
		return anything();
	return within(1 +
			(double)(n > all            ? c->target_miss
					: n > first ? c->target_2
						    : 0),
		TARGETS);
}

/* Call and return are two jumps, the first call costs more; deeper returns are guessed wrong. */
static struct wanted return_stack(const struct judged *j, json_t *row, unsigned of)
{
	double depth = param_of(row, "depth"), lost = fmax(0, depth - (double)j->cpu->returns);

	if (!undisturbed(j->cpu) || j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return with_mispredicted(j, 2 - CALL_LESS, 2 + CALL_MORE + FIRST_CALL / depth,
		lost / depth);
}

/* Half of the random bits, drawn anew for each sample, are mispredicted; of the zeros none is. */
static void counted_bits(const struct judged *j)
{
	json_t *zero = row_with(j, "branch", "bits-zero", NULL, 0, NULL),
	       *random = row_with(j, "branch", "bits-random", NULL, 0, NULL);
	double room = SIGMAS * sqrt(BITS / 4 / fmax(1, number_of(random, "samples")));

	if (j->cpu->predictor != PREDICTOR_HISTORY || !counts_all(j))
		return;
	if (zero)
		judge_count(j, "counts:mispredicts zero", count_of(zero, "mispredicts"), 0,
			AROUND_MISSES);
	if (random)
		judge_count(j, "counts:mispredicts random", count_of(random, "mispredicts"),
			BITS / 2 - room, BITS / 2 + room + AROUND_MISSES);
}

/* The penalty's row divides by the mispredictions where the run counts them. */
static void counted_penalty(const struct judged *j)
{
	json_t *row = row_with(j, "branch", "penalty", NULL, 0, NULL);

	if (row && param_of(row, "mispredicts_counted") != counts_all(j))
		tally_wrong(j->tally, "branch:penalty", "mispredicts_counted is not %d",
			counts_all(j));
}

/*
 * The same words in each pass: a table that holds them all knows them all, a smaller one that
 * forgets the oldest none. Odd and even words take as long, but for a jump over the even ones.
 */
static void words_again(const struct judged *j)
{
	double random = cycles_of(j, "branch", "printed-odd-random", NULL, 0);
	double odd = cycles_of(j, "branch", "printed-odd-odd", NULL, 0);
	double even = cycles_of(j, "branch", "printed-odd-even", NULL, 0);
	double held = (double)j->cpu->capacity / WORDS;

	if (!undisturbed(j->cpu) || isnan(random) || isnan(odd) || isnan(even))
		return;
	if (j->cpu->predictor == PREDICTOR_PERFECT ||
		(j->cpu->predictor == PREDICTOR_HISTORY && held > 1 + FORGETS))
		tally_value(j->tally, "branch:printed", fmax(odd, even), random, "-10, +2 %",
			random > less(fmin(odd, even), WORDS_LESS) &&
					random < more(fmax(odd, even), WORDS_MORE)
				? NULL
				: "out of tolerance");
	else if (j->cpu->predictor == PREDICTOR_HISTORY && held < 1 - FORGETS)
		judge_slower(j, "branch:printed", random, fmax(odd, even), WORD_RANDOM);
}

/* Words at random cost more than a pattern, where the predictor knows that. */
static void words(const struct judged *j)
{
	double known = cycles_of(j, "branch", "word-odd-odd", NULL, 0);
	double free = cycles_of(j, "branch", "word-free-odd", NULL, 0);

	if (j->cpu->predictor == PREDICTOR_NEVER || !undisturbed(j->cpu))
		return;
	judge_slower(j, "branch:word-free", free, known, WORD_FREE);
	judge_slower(j, "branch:word-free", free, cycles_of(j, "branch", "word-odd-even", NULL, 0),
		WORD_EVEN);
	judge_slower(j, "branch:word-odd", cycles_of(j, "branch", "word-odd-random", NULL, 0),
		known, j->cpu->predictor == PREDICTOR_PERFECT ? WORD_KNOWN : WORD_RANDOM);
}

static void one_level_of_targets(const struct judged *j)
{
	if (!j->cpu->targets_2 &&
		!isnan(number_of(summary_of(j->run, "branch_targets_first"), "value")))
		tally_wrong(j->tally, "branch_targets_first",
			"the machine has one level of branch targets");
}

static void pairs_of_rows(const struct judged *j)
{
	soft_predictor(j);
	coins(j, "branch:bits", cycles_of(j, "branch", "bits-random", NULL, 0),
		cycles_of(j, "branch", "bits-zero", NULL, 0));
	coins(j, "branch:copy-odd", cycles_of(j, "branch", "copy-odd-random", NULL, 0),
		cycles_of(j, "branch", "copy-odd-odd", NULL, 0));
	if (j->cpu->capacity >= LEARNED && j->cpu->predictor == PREDICTOR_HISTORY)
		coins(j, "branch:learn", cycles_of(j, "branch", "learn", "pass", 1),
			cycles_of(j, "branch", "learn", "pass", PASSES_MOST));
	words(j);
	words_again(j);
	one_level_of_targets(j);
	counted_bits(j);
	counted_penalty(j);
}

/* A history of so many outcomes; for tables that forget gradually, the middle of the rise. */
static void predictor(struct expected_list *l, const struct cpu *c)
{
	bool soft = c->predictor == PREDICTOR_TAGGED;
	unsigned to = soft ? longest_period(c) : 0;
	double half = soft ? period_at(c, PERIOD_FROM, to, HALF) : (double)c->capacity;

	/* To an octave: the state machine's periods are powers of two, and it has no bisection; two
	 * branches of a step are remembered. */
	expect(l, "states_elements", half / 2, half / 2 / exp2(STATES), half, STATES_TEXT);
	expect_bisected(l, "predictor_branches", half, soft ? PREDICTOR_SOFT : PREDICTOR, 1,
		soft ? PREDICTOR_SOFT_TEXT : PREDICTOR_TEXT)
		->soft = soft;
	if (soft) { /* nothing is lost up to a place before a tenth is */
		expect(l, "predictor_perfect", PERIOD_FROM, PERIOD_FROM,
			PERIOD_STEP * period_at(c, PERIOD_FROM, to, RISE_10),
			"before a tenth is lost, to a step");
		expect(l, "learning_passes", 1, 1, PASSES_MOST, "as many as are tried");
		return;
	}
	expect_bisected(l, "predictor_perfect", (double)c->capacity, PREDICTOR, 1, PREDICTOR_TEXT);
	expect_near(l, "learning_passes", 1, 0,
		"exact"); /* the table learns each outcome at once */
}

static bool forgets_late(const struct cpu *c)
{
	unsigned to = longest_period(c);
	double last = mispredicted(c, to);

	return last - mispredicted(c, to / 2) >
		FORGETS_LATE * (last - mispredicted(c, PERIOD_FROM));
}

static void remembered(struct expected_list *l, const char *name)
{
	const struct cpu *c = l->cpu;

	must_be_unresolved(l, c->predictor != PREDICTOR_HISTORY && c->predictor != PREDICTOR_TAGGED,
		name, "the predictor has no history table");
	may_be_unresolved(l, c->predictor == PREDICTOR_TAGGED && forgets_late(c), name,
		"it still forgets at the longest periods that are tried");
	must_be_unresolved(l, c->predictor == PREDICTOR_PERFECT, name,
		"the predictor knows every pattern");
	may_be_unresolved(l, c->capacity < PERIOD_FROM || c->capacity > PERIOD_MOST / 2, name,
		"beyond the periods that are tried");
	may_be_unresolved(l,
		c->capacity > PERIOD_MOST / 2 * NEAR_MOST ||
			c->capacity < PERIOD_FROM * NEAR_LEAST || c->penalty < 6,
		name, "at the end of the periods that are tried");
}

static void known_targets(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	uint64_t all = c->targets + c->targets_2;
	uint64_t most = sweep_is_coarsest(l) ? TARGETS_SMOKE : TARGETS_MOST;
	double hit = 1 + (double)(c->targets_2 ? c->target_2 : 0);

	must_be_unresolved(l, c->target_miss == 0, "branch_targets",
		"no jump costs more than another: there is no miss penalty");
	may_be_unresolved(l, all > most - 8 || all < 64, "branch_targets",
		"at the end of the numbers that are tried");
	may_be_unresolved(l, 1 + (double)c->target_miss < CACHE_RISE * hit, "branch_targets",
		"a target that no level knows costs hardly more than one of the second");
}

static void unresolvable(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	bool coins = c->predictor != PREDICTOR_NEVER && c->predictor != PREDICTOR_PERFECT;

	must_be_unresolved(l, !coins, "mispredict_cycles",
		"random branches cost as much as others");
	may_be_unresolved(l, c->penalty < 2, "mispredict_cycles", "the penalty is under 2 cycles");
	remembered(l, "predictor_branches");
	remembered(l, "predictor_perfect");
	must_be_unresolved(l, c->predictor == PREDICTOR_PERFECT, "states_elements",
		"the predictor knows every pattern");
	may_be_unresolved(l, c->predictor != PREDICTOR_HISTORY || c->penalty < 6, "states_elements",
		"the predictor has no memory that ends, or a miss costs little");
	may_be_unresolved(l, c->predictor == PREDICTOR_TAGGED, "predictor_perfect",
		"the predictor forgets gradually");
	may_be_unresolved(l, c->predictor == PREDICTOR_TAGGED, "learning_passes",
		"the predictor goes on learning");
	must_be_unresolved(l,
		(c->predictor != PREDICTOR_HISTORY && c->predictor != PREDICTOR_TAGGED) ||
			c->capacity < LEARNED,
		"learning_passes", "no pass is ever predicted, or each is");
	may_be_unresolved(l, c->capacity < LEARNED_CLEARLY * LEARNED || c->penalty < 6,
		"learning_passes", "hardly more is remembered, or a miss costs little");
	known_targets(l);
	may_be_unresolved(l, c->returns >= DEPTH_MOST, "return_stack",
		"beyond the depths that are tried");
	may_be_unresolved(l, c->returns > 3 * DEPTH_MOST / 4 || c->returns < 3, "return_stack",
		"at the end of the depths that are tried");
}

static void expect_branch(struct expected_list *l)
{
	/*
	 * A branch resolves two cycles after the add of its bit entered. The paths for bits 0 and 1
	 * fill groups of four instructions best; a narrower core gains when random bits mix the two
	 * paths. The numbers are computed from the groups of the loop.
	 */
	static const double resolving[] = { 0, 0, 0.9, 0.1, 1.7 };
	const struct cpu *c = l->cpu;
	double p = (double)c->penalty + resolving[c->width < 4 ? c->width : 4];

	if (c->width > 3 && c->alus < 3)
		p -= FEW_ALUS;

	expect_near(l, "mispredict_cycles", p, PENALTY, PENALTY_TEXT);
	predictor(l, c);
	expect_bisected(l, "branch_targets", (double)(c->targets + c->targets_2), TARGETS, 1,
		TARGETS_TEXT)
		->slack = LOOP_TARGETS;
	if (c->targets_2)
		expect_bisected(l, "branch_targets_first", (double)c->targets, TARGETS, 1,
			TARGETS_TEXT)
			->slack = LOOP_TARGETS;
	expect_bisected(l, "return_stack", (double)c->returns, 0, 1, "exact");
	unresolvable(l);
}

static const struct row_rule rules[] = {
	ROWS("state-machine", CYCLES, states, RANDOM_STATES),
	ROWS("states-random", CYCLES, states, RANDOM_STATES),
	ROWS("states-sorted", CYCLES, states),
	ROWS("states-code", CYCLES, states),
	ROWS("states-stack", CYCLES, states, ON_STACK),
	ROWS("penalty", MEDIAN, penalty),
	ROWS("period", CYCLES, period),
	ROWS("targets", CYCLES, targets),
	ROWS("return-stack", CYCLES, return_stack),
};

static const struct sweep sweeps[] = {
	{ "period", "elements", .first = PERIOD_FROM, .last = 65536, .step = 1, .ratio = 2 },
	{ "targets", "targets", .first = 16, .last = 16384, .step = 1, .ratio = 2 },
	{ "return-stack", "depth", .first = 1, .last = DEPTH_MOST, .step = 1, .ratio = 1.25,
		.widest = 4 },
	{ "learn", "pass", .first = 1, .last = PASSES_MOST, .step = 3, .ratio = 2, .widest = 5 },
	{ 0 },
};

static const struct row_unit units[] = {
	{ "penalty", "cycles" },
	{ "period", "ns/branch" },
	{ "learn", "ns/branch" },
	{ "bits-", "ns/branch" },
	{ "targets", "ns/jump" },
	{ "return-stack", "ns/call" },
	{ 0 },
};

const struct truth truth_branch = {
	RULES(rules),
	.rows = pairs_of_rows,
	.expect = expect_branch,
	.sweeps = sweeps,
	.units = units,
	.over_all_samples = "state-machine",
};
