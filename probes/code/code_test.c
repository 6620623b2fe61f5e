/* SPDX-License-Identifier: MIT */
/* The user's own code: its blocks run for real, in a room that says what a copy takes. */
#include <sys/mman.h>

#include "probes/code/code.c"
#include "tests/unit/lines_of_rows.h"

#define BYTES (1 << 20) /* for generated code */
#define TICKS 5         /* of a copy that counts itself at [r14] */

static unsigned char *generated;
static struct arena arena;
static struct escape as_if; /* how the next call ends, */
static bool escapes;        /* if it does */
static bool damages;        /* it writes behind where the stack pointer is kept */
static unsigned calls;

static void *code_memory(struct room *e, size_t bytes)
{
	if (!generated)
		generated = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	mprotect(generated, BYTES, PROT_READ | PROT_WRITE);
	return bytes <= BYTES ? generated : NULL;
}

static int sealed(struct room *e)
{
	return mprotect(generated, BYTES, PROT_READ | PROT_EXEC);
}

/* A register's word of memory, at which it points. */
static uint64_t *at(unsigned area)
{
	return (uint64_t *)(arena.base + area * (AREA + SPREAD) + AREA / 2);
}

static uint64_t copies_so_far(void)
{
	return *at(0);
}

static int guarded(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], double most_ns,
	const struct arena *writable, struct timed *t, struct escape *out)
{
	assert_ptr_equal(loop_timed_call, loop);
	assert_true(most_ns == 1e9);
	arena = *writable;
	calls++;
	if (escapes) {
		*out = as_if;
		return -1;
	}
	uint64_t before = copies_so_far();

	if (damages) {
		/* mov rax, rsp; mov [its place], rax */
		const unsigned char *kept = memmem(generated, BYTES, "\x48\x89\xe0\x48\xa3", 5);
		uint64_t *place;

		memcpy(&place, kept + 5, sizeof place);
		place[1]++;
	}
	*t = loop(a[0], a[1], a[2], a[3], a[4], a[5]);
	assert_false(__builtin_ia32_readeflags_u64() & 1 << 10); /* C wants DF off */
	t->ticks = FAKE_CALL + TICKS * (copies_so_far() - before);
	fake_time += t->ticks;
	return 0;
}

/* Three instructions a copy, and seven beside them. */
static void count_begin(struct room *e, struct event_counts *q)
{
	q->known = EVENT_SWITCHES | EVENT_INSTRUCTIONS;
	q->priv[0] = arena.base ? copies_so_far() : 0;
}

static void count_end(struct room *e, struct event_counts *q)
{
	q->instructions = 7 + 3 * ((arena.base ? copies_so_far() : 0) - q->priv[0]);
}

static void start(const char *code, const char *init, uint64_t unroll, uint64_t turns)
{
	prepare_run("code", fake_call);
	room.code_open = code_memory;
	room.code_seal = sealed;
	room.guard = guarded;
	room.timed_begin = count_begin;
	room.timed_end = count_end;
	strcpy(options.code, code);
	strcpy(options.code_init, init);
	options.code_unroll = unroll;
	options.code_loop = turns;
	escapes = false;
	arena = (struct arena){ 0 };
	calls = 0;
}

static const char counting[] = "49 ff 06"; /* inc qword [r14] */

TEST(a_copy_takes_what_the_second_block_takes_more)
{
	start(counting, "", 10, 0);
	assert_int_equal(0, bench_run(&room, &options));
	expect("snippet", "median", TICKS);
	expect("snippet", "instructions", 3);
	start(counting, "", 3, 7);
	assert_int_equal(0, bench_run(&room, &options));
	expect("snippet", "median", TICKS);
	expect("snippet", "instructions", 3);
	assert_int_equal(0, copies_so_far() % ((3 + 6) * 7)); /* both blocks, each 7 times */
}

TEST(a_clock_that_moves_disturbs)
{
	static const char *const variants[] = { "snippet" };

	start(counting, "", 10, 0);
	fake_restless = true;
	assert_int_equal(0, bench_run(&room, &options));
	expect_all_disturbed(variants, 1);
}

TEST(the_code_stands_in_its_row)
{
	start("49 FF,06", "90 90", 10, 0);
	strcpy(options.code_source, "inc qword ptr [r14]");
	assert_int_equal(0, bench_run(&room, &options));
	json_t *line = line_of("row", "snippet"), *more = json_object_get(line, "more"),
	       *params = json_object_get(line, "params");

	assert_string_equal("49 ff 06", json_string_value(json_object_get(more, "code")));
	assert_string_equal("90 90", json_string_value(json_object_get(more, "code_init")));
	assert_string_equal("inc qword ptr [r14]",
		json_string_value(json_object_get(more, "source")));
	assert_int_equal(10, json_integer_value(json_object_get(params, "unroll")));
	assert_null(json_object_get(params, "loop"));
	assert_true(json_integer_value(json_object_get(params, "code_crc")) ==
		crc32_of(0, (const unsigned char *)"\x49\xff\x06\x90\x90", 5));
	json_decref(line);
}

/* Each points to its own memory, and is stored there by code_init; the others are 0. */
TEST(registers_point_to_memory_or_are_0)
{
	/* mov [r14], r14; [rdi], rdi; [rsi], rsi; push rsp; mov [rbp], rbp; the others or-ed */
	start("90",
		"4d 89 36 48 89 3f 48 89 36 54 48 89 6d 00 48 09 d8 48 09 c8 48 09 d0 4c 09 c0 "
		"4c 09 c8 4c 09 d0 4c 09 d8 4c 09 e0 4c 09 e8 4c 09 f8 49 89 46 08",
		1, 0);
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < AREAS; i++) {
		uint64_t *word = at(i) - (pointers[i] == RSP);

		assert_int_equal((uintptr_t)at(i), *word);
		for (unsigned k = 0; k < i; k++)
			assert_true((((uintptr_t)at(i) ^ (uintptr_t)at(k)) & 0xfff) != 0);
	}
	assert_int_equal(0, at(0)[1]);
}

/* std; mov [rsp - 8], 0; ldmxcsr [rsp - 8]; then 0 in each register that a function must keep. */
TEST(what_the_code_changes_is_put_back)
{
	uint32_t mxcsr;

	start("31 db 31 ed 31 e4 45 31 e4 45 31 ed 45 31 f6 45 31 ff",
		"fd c7 44 24 f8 00 00 00 00 0f ae 54 24 f8", 1, 0);
	assert_int_equal(0, bench_run(&room, &options));
	__asm__("stmxcsr %0" : "=m"(mxcsr));
	assert_int_equal(0x1f80, mxcsr & 0xffc0);
	assert_false(__builtin_ia32_readeflags_u64() & 1 << 10);
	json_t *line = line_of("row", "snippet");

	assert_non_null(line);
	json_decref(line);
}

static uint64_t find(const void *bytes, size_t n)
{
	return (uintptr_t)memmem(generated, BYTES, bytes, n);
}

/* The row is given up with this reason and its code, at the first call. */
static void ends(struct escape how, const char *reason)
{
	start("90 0f 0b", "31 c0", 10, 0);
	escapes = true;
	as_if = how;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("snippet", reason);
	json_t *line = line_of("skip", "snippet"), *more = json_object_get(line, "more");

	assert_string_equal("90 0f 0b", json_string_value(json_object_get(more, "code")));
	assert_int_equal(how.late, json_is_true(json_object_get(more, "late")));
	assert_int_equal(how.late ? 0 : how.vector,
		json_integer_value(json_object_get(more, "vector")));
	json_decref(line);
	assert_int_equal(1, calls);
}

TEST(how_it_ended_and_where)
{
	char behind[96];

	ends((struct escape){ .vector = 14, .error = 16, .at = 0x1234, .access = 0x1234 },
		"exception 14, page fault, at 1234, outside of it: execution at 1234");
	uint64_t copies = find("\x90\x0f\x0b\x90\x0f\x0b", 6), init = find("\x31\xc0\x0f\xae", 4);

	ends((struct escape){ .vector = 6, .at = copies + 3 * 4 + 1 },
		"exception 6, invalid opcode, at byte 1 of the code");
	ends((struct escape){ .late = true, .vector = 32, .at = copies + 3 * 9 },
		"it was ended after 1 s, at byte 0 of the code");
	ends((struct escape){ .vector = 14, .error = 2, .at = copies, .access = 0xdead000 },
		"exception 14, page fault, at byte 0 of the code: write to dead000");
	ends((struct escape){ .vector = 0, .at = init + 1 },
		"exception 0, divide error, at byte 1 of code_init");
	snprintf(behind, sizeof behind, "exception 13, general protection, at %llx, outside of it",
		(unsigned long long)copies + 3 * 10);
	ends((struct escape){ .vector = 13, .at = copies + 3 * 10 }, behind);
}

TEST(damage_outside_of_its_memory_is_noticed)
{
	start(counting, "", 1, 0);
	damages = true;
	assert_int_equal(0, bench_run(&room, &options));
	damages = false;
	expect_skip("snippet", "the code has written to memory of this program");
}

TEST(nothing_without_code)
{
	start("", "", 10, 0);
	bench_run(&room, &options);
	assert_null(line_of("row", "snippet"));
	assert_null(line_of("skip", "snippet"));
}
