/* SPDX-License-Identifier: MIT */
/*
 * The notes of steps that may hang: a made-up machine whose steps hang, whose power is cut before
 * and within each write, and whose stick or variables fail. A hang costs two starts, a cut none.
 */
#include "kernel/finish.c"
#include "kernel/firmware/firmware_calls.h"
#include "tests/unit/test.h"

static struct {
	/* what outlives a start */
	char file[JOURNAL_BYTES], variable[JOURNAL_BYTES];
	size_t file_bytes, variable_bytes;
	/* how it behaves */
	const char *hangs;       /* this step never ends */
	bool exit_hangs;         /* ExitBootServices itself */
	bool set_hangs;          /* SetVariable after the exit */
	bool read_only, forgets; /* the stick; the variables, at each start */
	bool lies;               /* SetVariable says that it stored */
	bool no_file;            /* there is no place for it */
	bool no_store;           /* variables cannot be set after the exit */
	uint64_t refuses;        /* SetVariable's status after the exit, but for deletions */
	bool refuses_all;        /* after the exit and `granted` calls, deletions too */
	unsigned granted;
	unsigned file_granted; /* writes before the stick turns read-only, from 1 on; 0: it stays */
	unsigned halves_left;  /* of writes, before the power is cut; 0: it is not */
	/* what a start did */
	bool active;
	unsigned writes, done;
	char said[4096];
} box;

static jmp_buf off;

/* A write happens whole, or half of it, or not at all: the power is cut at each half of a write. */
static size_t cut(size_t n)
{
	unsigned left = box.halves_left;

	box.writes++;
	box.halves_left = left > 2 ? left - 2 : 0;
	return left == 1 ? 0 : left == 2 ? n / 2 : n;
}

static uint64_t file_read(void *data, size_t *n)
{
	if (!box.file_bytes)
		return EFI_STATUS_NOT_FOUND;
	if (*n > box.file_bytes)
		*n = box.file_bytes;
	memcpy(data, box.file, *n);
	return 0;
}

static uint64_t file_write(const void *data, size_t n)
{
	size_t part;

	assert_true(box.active);
	assert_int_equal(n, sizeof box.file);
	if (box.read_only)
		return EFI_STATUS_ERROR | 8;
	if (box.file_granted && --box.file_granted == 0)
		box.read_only = true;
	part = cut(n);
	memcpy(box.file, data, part);
	if (part > box.file_bytes)
		box.file_bytes = part;
	if (part < n)
		longjmp(off, 1);
	return 0;
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	assert_string_equal(name, "AnechoicJournal");
	if (!box.variable_bytes)
		return EFI_STATUS_NOT_FOUND;
	if (*n < box.variable_bytes)
		return EFI_STATUS_BUFFER_TOO_SMALL;
	memcpy(data, box.variable, *n = box.variable_bytes);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	if (!n && (!strcmp(name, "AnechoicStep") || !strcmp(name, "AnechoicEnds")))
		return EFI_STATUS_NOT_FOUND; /* an earlier version's */
	assert_string_equal(name, "AnechoicJournal");
	assert_true(n <= sizeof box.variable);
	if (!box.active && box.set_hangs)
		longjmp(off, 1);
	if (!box.active && box.refuses && n)
		return box.refuses;
	if (!box.active && box.refuses_all && box.granted-- == 0)
		return box.granted = 0, EFI_STATUS_ERROR | 9;
	if (box.lies)
		return 0;
	if (cut(4) < 4) /* SetVariable is atomic */
		longjmp(off, 1);
	memcpy(box.variable, data ? data : "", n);
	box.variable_bytes = n;
	return 0;
}

static bool boot_services(void)
{
	return box.active;
}

static void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say_line(const char *format, ...)
{
	size_t used = strlen(box.said);
	va_list args;

	va_start(args, format);
	int n = vsnprintf(box.said + used, sizeof box.said - used, format, args);
	va_end(args);
	assert_true(n <= 80 && box.said[used + (size_t)n - 1] == '\n');
}

static const struct storage storage = { .get = get,
	.set = set,
	.state_read = file_read,
	.state_write = file_write,
	.boot_services = boot_services };

#define firmware_storage storage
#define console_printf   say_line
#include "kernel/journal.c"

static inline void say_nothing_hung(void)
{
	if (strstr(box.said, "did not come back"))
		fail_msg("expected nothing hung, came: %s", box.said);
}

static void open_as(uint32_t machine, enum state_choice choice)
{
	static struct machine m;
	const struct config c = { .state = choice };

	box.active = true;
	box.writes = box.done = 0;
	box.said[0] = 0;
	if (box.forgets)
		box.variable_bytes = 0;
	m = (struct machine){ .firmware_vendor = "",
		.firmware_revision = machine,
		.started_utc = "20260101T000000Z",
		.file_absent = box.no_file ? "no file system" : NULL,
		.store = { .usable = true, .usable_at_runtime = !box.no_store } };
	journal_open(&m, &c);
}

/* Do a step as the program does: leave it out if it hung before. */
static inline void try(const char *name)
{
	if (step_hung(name))
		return;
	step_enter(name);
	if (box.hangs && strcmp(box.hangs, name) == 0)
		longjmp(off, 1);
	box.done++;
}

#define ALL 6 /* what a start does where nothing is left out */

static void leave_firmware(void)
{
	step_enter("exit");
	if (box.exit_hangs)
		longjmp(off, 1);
	box.active = false;
	step_left();
	box.done++;
}

/* One start. true: it came to its end. */
static inline bool start(void)
{
	if (setjmp(off))
		return false;
	open_as(1, STATE_KEEP);
	try("mp-services");
	step_left();
	if (!step_hung("exit")) {
		leave_firmware();
		try("cpus");
		try("usb-00:14.0");
		try("usb-3a:00.0");
		step_left();
		try("setvar");
	}
	steps_end();
	return true;
}

static void new_box(void)
{
	memset(&box, 0, sizeof box);
}

BEFORE_EACH(new_box);

TEST(whole_starts_leave_nothing)
{
	for (unsigned i = 0; i < 3; i++) {
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_string_equal(box.said, "");
	}
	open_as(1, STATE_KEEP);
	assert_string_equal(box.said, "");
	assert_int_equal(box.variable_bytes, 0);
}

static const char *const names[] = { "mp-services", "cpus", "usb-00:14.0", "usb-3a:00.0",
	"setvar" };

/* A power cut looks just like it: the step is tried again, and what came back is forgotten. */
TEST(a_step_left_open_once_is_tried_again)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		new_box();
		for (unsigned k = 0; k < 2; k++) {
			box.hangs = names[i];
			assert_false(start());
			box.hangs = NULL;
			assert_true(start());
			assert_int_equal(box.done, ALL);
			assert_non_null(strstr(box.said, names[i]));
			assert_non_null(strstr(box.said, "tried again"));
			assert_null(strstr(box.said, "state = clear"));
			assert_true(start());
			assert_int_equal(box.done, ALL);
			assert_string_equal(box.said, "");
		}
	}
}

/* The starts after two hangs leave the step out, ten of them; the next one tries it anew. */
TEST(a_hang_costs_two_starts_in_twelve)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		new_box();
		box.hangs = names[i];
		assert_false(start());
		for (unsigned round = 0; round < 2; round++) {
			assert_false(start());
			for (unsigned k = 0; k < STEPS_GOOD; k++) { /* it is remembered */
				if (!start())
					fail_msg("%s hangs again after %u starts", names[i], k);
				assert_int_equal(box.done, ALL - 1);
				assert_non_null(strstr(box.said, names[i]));
				assert_non_null(strstr(box.said, "state = clear"));
			}
		}
		box.hangs = NULL;
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_non_null(strstr(box.said, "tried again"));
		assert_true(start());
		assert_string_equal(box.said, "");
	}
}

TEST(two_steps_that_hang_cost_four_starts)
{
	for (unsigned k = 0; k < 4; k++) {
		box.hangs = k < 2 ? "usb-00:14.0" : "mp-services";
		assert_false(start());
	}
	assert_true(start());
	assert_int_equal(box.done, ALL - 2);
}

/* SetVariable, then, where it is ExitBootServices itself, room bare. */
TEST(the_exit)
{
	box.set_hangs = true;
	assert_false(start());
	assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "runtime"));
	assert_int_equal(box.done, ALL - 1);
	new_box();
	box.exit_hangs = true;
	for (unsigned k = 0; k < 3; k++)
		assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "exit"));
	assert_int_equal(box.done, 1);
}

TEST(switched_off_while_measuring)
{
	if (!setjmp(off)) {
		open_as(1, STATE_KEEP);
		leave_firmware();
	}
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "switched off"));
	say_nothing_hung();
}

/* The power fails once: the next start leaves nothing out, and the one after says nothing. */
TEST(power_cuts)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		new_box();
		box.halves_left = cuts;
		whole = start();
		if (whole)
			assert_true(cuts > box.writes && box.writes > ALL);

		box.halves_left = 0;
		for (unsigned k = 0; k < 2; k++) {
			assert_true(start());
			if (box.done < ALL)
				fail_msg("cut %u: %u of %u steps are done: %s", cuts, box.done, ALL,
					box.said);
			if (k)
				assert_string_equal(box.said, "");
		}
	}
}

/* Twice at the same moment: at most the step of that moment is left out, once forgotten none. */
TEST(the_same_power_cut_twice)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		new_box();
		for (unsigned k = 0; k < 2; k++) {
			box.halves_left = cuts;
			whole = start();
		}
		box.halves_left = 0;
		assert_true(start());
		if (box.done < ALL - 1)
			fail_msg("cut %u: %u of %u steps are done: %s", cuts, box.done, ALL,
				box.said);
		open_as(1, STATE_CLEAR);
		say_nothing_hung();
		assert_true(start());
		assert_int_equal(box.done, ALL);
	}
}

TEST(a_stick_that_cannot_be_written)
{
	box.read_only = true;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_int_equal(box.writes, 0);
		char *once = strstr(box.said, "write-protected");

		assert_non_null(once);
		assert_null(strstr(once + 1, "write-protected"));
	}
}

/* Without variables after the exit nothing is known, so nothing is left out. */
TEST(no_variables)
{
	box.no_store = true;
	box.hangs = "usb-00:14.0";
	assert_false(start());
	assert_int_equal(box.variable_bytes, 0);
	box.hangs = NULL;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "cannot tell how it ended"));
	new_box();
	box.forgets = true;
	assert_true(start());
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "its variables are lost"));
}

/* A firmware that answers with an error did not hang. */
TEST(variables_that_are_refused)
{
	box.refuses = EFI_STATUS_ERROR | 9;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_true(start());
	say_nothing_hung();
}

TEST(another_machine_and_damage)
{
	box.hangs = "mp-services";
	assert_false(start());
	assert_false(start());
	open_as(1, STATE_KEEP);
	open_as(1, STATE_OFF);
	assert_null(step_hung("mp-services"));
	step_enter("cpus");
	assert_int_equal(box.writes, 0);
	char before[JOURNAL_BYTES];

	memcpy(before, box.file, sizeof before);
	for (unsigned i = 0; i < sizeof before; i++) {
		box.file[i] ^= 1;
		open_as(1, STATE_KEEP);
		if (step_hung("mp-services"))
			fail_msg("byte %u is wrong, and what it says is believed", i);
		assert_non_null(strstr(box.said, "is not used"));
		memcpy(box.file, before, sizeof before);
	}
	open_as(2, STATE_KEEP);
	say_nothing_hung();
	open_as(1, STATE_KEEP);
	assert_non_null(step_hung("mp-services"));
	assert_null(step_hung("cpus"));
}

TEST(more_than_there_is_room_for)
{
	char name[STEP_NAME];

	for (unsigned i = 0; i < 2 * STEPS_HUNG + 6; i++) {
		snprintf(name, sizeof name, "usb-%02x:%02x.%u-longest", i / 2, 0x1f, i / 2 % 8);
		open_as(1, STATE_KEEP);
		step_enter(name);
	}
	open_as(1, STATE_KEEP);
	assert_non_null(step_hung(name));
	assert_null(step_hung("usb-00:1f.0-longest"));
	assert_int_equal(box.file[JOURNAL_BYTES - 1], '\n');
}

/* If notes of steps cannot be written, or say nothing, no step that returned is called hung. */

#define CALLS 12 /* more than a start makes of SetVariable after the exit */

/* Errors from any SetVariable on: nothing hung. Twice in a row: one step may be left out. */
TEST(refusals_are_no_hang)
{
	for (unsigned granted = 0; granted < CALLS; granted++) {
		new_box();
		box.refuses_all = true;
		box.granted = granted;
		for (unsigned k = 0; k < 3; k++) {
			box.granted = granted;
			assert_true(start());
			say_nothing_hung();
			if (k < 2)
				assert_int_equal(box.done, ALL);
		}
		if (box.done < ALL - 1)
			fail_msg("%u calls granted: %u of %u steps are done: %s", granted, box.done,
				ALL, box.said);
		if (box.done < ALL)
			assert_non_null(strstr(box.said, "could note no more"));
	}
}

/* The stick turns read-only in any of its writes, and is writable again later. */
TEST(a_stick_that_turns_read_only)
{
	for (unsigned writes = 1; writes < 6; writes++) {
		new_box();
		box.file_granted = writes;
		assert_true(start());
		for (unsigned k = 0; k < 3; k++) {
			assert_true(start());
			say_nothing_hung();
			assert_int_equal(box.done, ALL);
			if (k == 1)
				box.read_only = false;
		}
	}
}

/* If a second hang could not be noted, the first one counts: the step is left out from then on. */
TEST(a_hang_is_known_from_a_read_only_stick)
{
	for (unsigned hangs = 1; hangs <= 2; hangs++) {
		new_box();
		box.hangs = "mp-services";
		for (unsigned k = 0; k < hangs; k++)
			assert_false(start());
		box.read_only = true;
		for (unsigned k = 0; k < 3; k++) {
			assert_true(start());
			assert_int_equal(box.done, ALL - 1);
			assert_non_null(strstr(box.said, "did not come back from: mp-services"));
		}
	}
}

/*
 * If SetVariable hangs, room bare runs without notes. Nobody knows if it came to its end, so the
 * exit is not said to have hung; room bare is left out once, and tried again.
 */
TEST(room_bare_without_notes)
{
	box.set_hangs = true;
	assert_false(start());
	assert_false(start());
	for (unsigned k = 0; k < 3; k++) {
		assert_true(start());
		assert_int_equal(box.done, ALL - 1);
		assert_true(start());
		assert_int_equal(box.done, 1);
		assert_non_null(strstr(box.said, "cannot tell how it ended"));
		say_nothing_hung();
	}
}

/*
 * The counts of the journal: entries of room bare, resets in a row. What was counted comes back,
 * whenever the power is cut; a firmware that forgets is noticed; no machine is reset for ever.
 */

static const char cannot_store[] = "the firmware does not store a variable";
static const char cannot_file[] = "the starts cannot be counted in a file";

/* The longest text there is. */
TEST(the_file_comes_back)
{
	struct journal_state some = { 0xfffffffe,
		{ "usb-00:14.0-longest", "20260101T000000Z", 0, 0 }, 0xffffffff, STEPS_HUNG,
		{ { "", "", false, false } },
		{ 0xffffffff, 0xffffffff, UINT64_MAX,
			{ "20260101T000000Z-99999", 0xffffffff, RUNS_MAX, RUNS_MAX, RUNS_MAX, 2,
				2 } } };
	struct journal_state back;
	char text[JOURNAL_BYTES + 1];

	for (unsigned i = 0; i < STEPS_HUNG; i++) {
		some.hung[i] = some.at;
		some.hung[i].once = i & 1;
		some.hung[i].last = i & 2;
	}
	for (unsigned file = 0; file < 2; file++) {
		size_t n = write_text(&some, file, text);

		assert_true(file ? n == JOURNAL_BYTES : n < JOURNAL_BYTES);
		assert_null(read_text(&back, text, n));
		assert_memory_equal(&back, &some, sizeof some);
	}
}

static void assert_counted(bool to_be_stored)
{
	const char *why;

	assert_true(entries_add(to_be_stored, &why));
	assert_null(why);
}

TEST(entries_are_counted_until_a_result_came_home)
{
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		open_as(1, STATE_KEEP);
		assert_int_equal(journal_counts()->entries, i);
		assert_counted(true);
	}
	open_as(1, STATE_KEEP);
	assert_int_equal(journal_counts()->entries, ENTRIES_MAX);
	entries_forget();
	open_as(1, STATE_KEEP);
	assert_int_equal(journal_counts()->entries, 0);
	assert_int_equal(box.variable_bytes, 0);
}

TEST(all_is_forgotten_on_demand)
{
	open_as(1, STATE_KEEP);
	assert_counted(true);
	assert_null(resets_record(2, 5));
	assert_int_not_equal(box.variable_bytes, 0);
	journal_forget();
	assert_int_equal(box.variable_bytes, 0);
	open_as(1, STATE_KEEP);
	assert_int_equal(journal_counts()->entries, 0);
	assert_int_equal(resets_before(5), 0);
}

TEST(a_firmware_that_forgets_is_noticed)
{
	const char *why;

	box.forgets = true;
	for (unsigned i = 0; i < 4; i++) {
		open_as(1, i == 2 ? STATE_CLEAR : i == 3 ? STATE_OFF : STATE_KEEP);
		assert_int_equal(entries_add(true, &why), i == 0);
		assert_int_equal(why != NULL, i > 0);
		if (i == 0)
			continue;
		box.active = false; /* the next start may find that they are not forgotten */
		entries_forget();
		assert_int_not_equal(box.variable_bytes, 0);
	}
	open_as(2, STATE_KEEP); /* another machine */
	assert_counted(true);
}

/* A run whose result is not to be stored does not reset: no later start misses the result. */
TEST(an_entry_without_a_result_is_not_missed)
{
	box.forgets = true;
	for (unsigned i = 0; i < 2; i++) {
		open_as(1, STATE_KEEP);
		assert_counted(false);
	}
}

TEST(what_cannot_be_counted_is_said)
{
	const char *why;

	box.lies = true;
	open_as(1, STATE_KEEP);
	assert_false(entries_add(true, &why));
	assert_string_equal(why, cannot_store);
	assert_string_equal(resets_record(1, 0), cannot_store);
	box.lies = false;
	box.read_only = true;
	open_as(1, STATE_KEEP);
	assert_true(entries_add(true, &why));
	assert_string_equal(why, cannot_file);
	assert_string_equal(resets_record(1, 0), cannot_file);
}

/* A start of the way home: room bare, whose result is stored, or its harvest. */
static bool come_home(bool *stored, unsigned *harvested)
{
	if (setjmp(off))
		return false;
	open_as(1, STATE_KEEP);
	if (*stored) {
		*stored = false;
		++*harvested;
		entries_forget();
	} else {
		assert_true(journal_counts()->entries < ENTRIES_MAX);
		assert_counted(true);
		leave_firmware();
		step_enter("setvar");
		*stored = true;
		step_left();
	}
	steps_end();
	return true;
}

/* Before and within each write of both starts. */
TEST(a_power_cut_does_not_look_like_a_firmware_that_forgets)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		bool stored = false;
		unsigned harvested = 0;

		new_box();
		box.halves_left = cuts;
		whole = come_home(&stored, &harvested) && come_home(&stored, &harvested);
		box.halves_left = 0;
		for (unsigned k = 0; k < 4; k++)
			assert_true(come_home(&stored, &harvested));
		assert_true(harvested >= 2);
		if (!stored)
			assert_int_equal(journal_counts()->entries, 0);
	}
}

/* Returns the number of resets until a run stops; each start comes `gap` seconds after the last. */
static unsigned resets_until_stop(enum finish wanted, uint64_t gap, bool after_exit)
{
	uint64_t now = gap ? 1000 : 0;
	unsigned resets = 0;

	for (;; resets++) {
		struct reset_request r = { .wanted = wanted };
		const char *why;

		open_as(1, STATE_KEEP);
		if (after_exit) {
			resets_expect(now, now + 15);
			box.active = false;
		}
		r.before = resets_before(now);
		r.in_vain = resets_in_vain();
		bool goes = resets < 20 && reset_guard(&r, &why) == wanted;

		assert_null(resets_record(goes ? r.before + 1 : 0, now ? now + 20 : 0));
		if (!goes)
			return resets;
		now += gap ? 20 + gap : 0;
	}
}

TEST(a_reset_loop_stops_after_three)
{
	for (unsigned after_exit = 0; after_exit < 2; after_exit++)
		for (unsigned forgets = 0; forgets < 2; forgets++) {
			new_box();
			box.forgets = forgets;
			for (unsigned k = 0; k < 2; k++) { /* counting begins again */
				assert_int_equal(resets_until_stop(FINISH_POWEROFF, 60, after_exit),
					RESETS_MAX);
				assert_int_equal(resets_until_stop(FINISH_RESET, 0, after_exit),
					RESETS_MAX); /* no clock */
			}
			assert_int_equal(resets_until_stop(FINISH_RESET, RESET_GAP_SECONDS + 1,
						 after_exit),
				20);
		}
}

/* Each run takes an hour, and is harvested by a second start. */
TEST(a_loop_of_long_runs_stops_after_three)
{
	uint64_t now = 1000;

	for (unsigned resets = 0;; resets++, now += 60) {
		struct reset_request r = { .wanted = FINISH_POWEROFF };
		const char *why;

		assert_true(resets <= RESETS_MAX);
		open_as(1, STATE_KEEP);
		box.active = false;
		resets_carry(now, now + 3600);
		now += 3600 + 60;
		open_as(1, STATE_KEEP);
		r.before = resets_before(now);
		if (reset_guard(&r, &why) == FINISH_HALT)
			break;
		assert_null(resets_record(r.before + 1, now += 60));
	}
}

/* After the exit no file can be written: what was expected before it must be there. */
TEST(a_reset_that_could_not_be_expected_is_not_done)
{
	open_as(1, STATE_KEEP);
	box.read_only = true;
	resets_expect(1000, 1090);
	box.active = false;
	assert_string_equal(resets_record(1, 1090), cannot_file);
}

/* A variable that every reset clears, or that none does. */
TEST(without_a_file_only_what_is_known_to_stay_counts)
{
	box.no_file = box.read_only = box.forgets = true;
	for (unsigned k = 0; k < 3; k++)
		assert_int_equal(resets_until_stop(FINISH_RESET, 60, false), 0);
	new_box();
	box.no_file = box.read_only = true;
	assert_int_equal(resets_until_stop(FINISH_RESET, 60, false),
		0); /* a person starts it again */
	assert_int_equal(resets_until_stop(FINISH_RESET, 60, false), RESETS_MAX);
}

/* Variables of three bytes, of our length, or ours with one other byte, are not counted. */
TEST(a_foreign_variable_is_not_counted)
{
	box.variable_bytes = 3;
	open_as(1, STATE_KEEP);
	assert_int_equal(resets_before(0), 0);
	assert_null(resets_record(2, 0));
	for (size_t i = 0; i < box.variable_bytes; i++) {
		box.variable[i] ^= 1;
		open_as(1, STATE_KEEP);
		assert_int_equal(resets_before(0), 2); /* which the file has */
		assert_false(journal.recorded);
		box.variable[i] ^= 1;
	}
	open_as(1, STATE_KEEP);
	assert_true(journal.recorded);
	assert_int_equal(resets_before(0), 2);
	memset(box.variable, 0xff, box.variable_bytes = sizeof box.variable);
	open_as(1, STATE_KEEP);
	assert_false(journal.recorded);
}

TEST(the_name_of_a_step_has_its_place)
{
	expect_broken("strlen(name) < STEP_NAME", step_enter("a-name-of-20-letters"));
}
