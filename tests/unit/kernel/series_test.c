/* SPDX-License-Identifier: MIT */
/*
 * Several runs of a made-up machine, whose power fails before any step of the journal, the files
 * and the variables: each room of each run has one result in the end, none that was whole is lost,
 * and the machine does not start for ever.
 */
#define FILES 16
#include "tests/unit/fake_console.h"
#include "tests/unit/fake_storage.h"
#include "tests/unit/test.h"

#include "kernel/journal.c"
#include "kernel/result/result_log.h"
#include "kernel/series.h"
#include "lib/crc32.h"

/* --- the machine --- */

static char state[JOURNAL_BYTES], logs[4096];
static size_t state_bytes;
static bool active, read_only, forgets;
static unsigned starts, measured;
static const char *load_words; /* load options */

/* Each result that was said to be whole. */
static struct item promised[FILES];

static uint64_t state_read(void *data, size_t *n)
{
	*n = state_bytes < *n ? state_bytes : *n;
	memcpy(data, state, *n);
	return state_bytes ? 0 : EFI_STATUS_NOT_FOUND;
}

static uint64_t state_write(const void *data, size_t n)
{
	assert_true(active && n == sizeof state);
	if (read_only)
		return EFI_STATUS_ERROR | 8;
	step();
	memcpy(state, data, n);
	state_bytes = n;
	return 0;
}

static bool file_exists(const char *name)
{
	return find_item(files, FILES, name) != NULL;
}

static bool boot_services(void)
{
	return active;
}

const struct storage firmware_storage = { .get = get,
	.set = set,
	.file_create = file_create,
	.file_append = file_append,
	.file_close = file_close,
	.file_compare = file_compare,
	.file_read = file_read,
	.file_delete = file_delete,
	.file_next_place = file_next_place,
	.file_exists = file_exists,
	.state_read = state_read,
	.state_write = state_write,
	.boot_services = boot_services };

/* --- what the program does --- */

static struct machine machine = { .firmware_vendor = "",
	.store = { .usable = true, .usable_at_runtime = true } };
static struct config config;

/* The text of a run, unlike any other. */
static const char *measure(char name[STORED_RESULT_FILE], enum room_kind kind)
{
	static char result[100];

	results_file(name, kind);
	int n = sprintf(result, "{\"kind\":\"run\",\"n\":%u}\n", ++measured);
	sprintf(result + n, "{\"kind\":\"end\",\"crc_all\":\"%08x\"}\n",
		crc32_of(0, result, (size_t)n));
	return result;
}

static void promise(const char *name, const char *result)
{
	if (find_item(promised, FILES, name))
		fail_msg("%s is measured again", name);
	set_item(find_item(promised, FILES, ""), name, result, strlen(result));
}

static void room_firmware(void)
{
	char name[STORED_RESULT_FILE];
	const char *result = measure(name, ROOM_FIRMWARE);

	file_create(name);
	file_append(result, strlen(result));
	promise(name, result); /* all of it is there; whether it is closed, the next start sees */
	file_close();
}

static void room_bare(void)
{
	unsigned char small[512];
	char name[STORED_RESULT_FILE];
	const char *result = measure(name, ROOM_BARE);
	void *work = malloc(pack_work(strlen(result)));
	size_t n =
		pack(result, strlen(result), small, sizeof small, work, pack_work(strlen(result)));

	free(work);
	assert_true(n);
	step_enter("exit");
	active = false;
	step_left();
	step_enter("setvar");
	assert_null(store_write(&firmware_storage, name, small, n));
	promise(name, result);
	step_left();
}

enum after { DONE_RESET, DONE_FINISHED, DONE_LEFT };

/* Do the same steps as run_rooms() in kernel/run_rooms.c. esc: Esc was pressed at the prompt. */
static enum after measure_run(bool esc)
{
	const char *why;

	series_open(&machine, &config);
	harvest_result();
	if (last == HARVEST_DONE)
		entries_forget();
	if (last == HARVEST_DONE && !series_next())
		return DONE_FINISHED;
	if (esc) {
		series_end("Esc");
		return DONE_LEFT;
	}
	if (!series_begin())
		return DONE_FINISHED;
	bool there = config.options.runs > 1 && results_there(ROOM_FIRMWARE);

	if (config.rooms != ROOMS_BARE && !there)
		room_firmware();
	if (config.rooms != ROOMS_FIRMWARE && entries_add(true, &why) && !why) {
		room_bare();
		return DONE_RESET;
	}
	return series_next() ? DONE_RESET : DONE_FINISHED;
}

/* `runs` and `rooms` as in a configuration, which is the same each time. */
static enum after start(unsigned runs, enum rooms rooms, bool esc)
{
	static char configuration[64];

	active = true;
	said[0] = 0;
	starts++;
	if (forgets)
		empty(variables, VARIABLES);
	snprintf(configuration, sizeof configuration, "runs = %u\nrooms = %u\n", runs, rooms);
	machine.config = (struct text){ .data = (unsigned char *)configuration,
		.bytes = strlen(configuration) };
	machine.options =
		(struct text){ .data = (unsigned char *)load_words, .bytes = load_words ? 1 : 0 };
	machine.logs = (struct span){ (uint64_t)(uintptr_t)logs, sizeof logs };
	snprintf(machine.started_utc, sizeof machine.started_utc, "20260101T%06uZ", starts);
	config = (struct config){ .rooms = rooms, .options = { .runs = runs } };
	journal_open(&machine, &config);
	return measure_run(esc);
}

/* Until it has finished. */
static void all_starts(unsigned runs, enum rooms rooms)
{
	unsigned before = starts;

	while (start(runs, rooms, false) == DONE_RESET)
		assert_true(starts < before + STARTS_MAX * (runs + 1));
}

BEFORE_EACH(new_machine)
{
	empty(variables, VARIABLES);
	empty(files, FILES);
	empty(promised, FILES);
	starts = measured = state_bytes = 0;
	read_only = forgets = false;
	load_words = NULL;
	steps_left = writes_refused_after = -1U;
}

AFTER_ALL(free_all)
{
	new_machine();
}

static void assert_nothing_noted(void)
{
	assert_int_equal(journal_counts()->series.runs, 0);
	assert_int_equal(count(variables, VARIABLES), 0);
}

/* One whole file of each room and run: what was promised, and nothing else. */
static void assert_all_there(unsigned runs, enum rooms rooms)
{
	assert_int_equal(count(files, FILES), runs * (rooms == ROOMS_BOTH ? 2 : 1));
	for (unsigned i = 0; i < FILES; i++) {
		const struct item *p = &promised[i], *f = find_item(files, FILES, p->name);

		if (!p->name[0])
			continue;
		if (!f || f->n != p->n || memcmp(f->data, p->data, p->n))
			fail_msg("%s is lost", p->name);
	}
	assert_int_equal(count(promised, FILES), count(files, FILES));
	assert_nothing_noted();
}

/* --- tests --- */

TEST(names_that_compare_takes_for_one_set)
{
	all_starts(2, ROOMS_BOTH);
	assert_int_equal(starts, 3); /* the start that harvests run 1 measures run 2 */
	assert_all_there(2, ROOMS_BOTH);
	for (unsigned run = 1; run <= 2; run++) {
		char name[STORED_RESULT_FILE];

		snprintf(name, sizeof name, "20260101T000001Z-firmware-%u.ndjson", run);
		assert_true(file_exists(name));
		snprintf(name, sizeof name, "20260101T000001Z-bare-%u.ndjson", run);
		assert_true(file_exists(name));
	}
	all_starts(1, ROOMS_FIRMWARE);
	assert_true(file_exists("20260101T000004Z-firmware.ndjson"));
	all_starts(10, ROOMS_FIRMWARE);
	assert_true(file_exists("20260101T000005Z-firmware-01.ndjson"));
	assert_true(file_exists("20260101T000005Z-firmware-10.ndjson"));
}

/* true: it has finished; false: the power failed after so many steps. */
static bool finished_within(unsigned steps, unsigned runs, enum rooms rooms)
{
	steps_left = steps;
	if (setjmp(power_cut))
		return false;
	all_starts(runs, rooms);
	return true;
}

/* And once more, after a third of these steps. */
TEST(a_power_cut_at_any_step)
{
	for (enum rooms rooms = ROOMS_BOTH; rooms <= ROOMS_BARE; rooms++) {
		bool whole = false;

		for (unsigned cut = 0; !whole; cut++) {
			new_machine();
			whole = finished_within(cut, 3, rooms);
			if (!whole && !finished_within(cut / 3, 3, rooms))
				assert_true(finished_within(-1U, 3, rooms));
			assert_all_there(3, rooms);
			if (whole)
				assert_true(cut > 20);
		}
	}
}

TEST(a_finished_series_is_finished)
{
	for (unsigned k = 1; k <= 2; k++) {
		all_starts(2, ROOMS_BOTH);
		assert_all_there(2 * k, ROOMS_BOTH);
	}
}

/* Its power fails in each room: the series ends all the same. */
TEST(runs_that_never_end_are_left_out)
{
	static unsigned cuts;

	for (cuts = 0;;) {
		steps_left = 4; /* which are the notes before a room */
		if (!setjmp(power_cut) && start(3, ROOMS_FIRMWARE, false) == DONE_FINISHED)
			break;
		empty(files, FILES); /* not even what was whole stays */
		empty(promised, FILES);
		assert_true(++cuts < 3 * STARTS_MAX + 3);
	}
	steps_left = -1U;
	assert_non_null(strstr(said, "left out"));
	assert_nothing_noted();
}

/* Esc in run 2; then a person starts the machine again. */
TEST(a_person_ends_it)
{
	assert_int_equal(start(3, ROOMS_BOTH, false), DONE_RESET);
	assert_int_equal(start(3, ROOMS_BOTH, true), DONE_LEFT);
	assert_non_null(strstr(said, "ends, in run 2: Esc"));
	assert_all_there(1, ROOMS_BOTH);
	assert_int_equal(start(3, ROOMS_BOTH, false), DONE_RESET);
	assert_int_equal(config.options.run, 1);
}

/* After the exit only the variable can say so, and the file still has the series. */
TEST(ended_in_room_bare)
{
	assert_int_equal(start(3, ROOMS_BARE, false), DONE_RESET);
	assert_false(active);
	journal_counts()->series = (struct run_series){ .runs = 0 };
	assert_null(series_note());
	assert_int_equal(start(3, ROOMS_BARE, false), DONE_FINISHED);
	assert_int_equal(start(3, ROOMS_BARE, false), DONE_RESET);
	assert_int_equal(config.options.run, 1);
	assert_true(file_exists("20260101T000001Z-bare-1.ndjson"));
}

TEST(another_configuration_ends_it)
{
	static const unsigned then[] = { 1, 2, 0 }; /* in its first run; after that; alone */

	for (unsigned k = 0; k < 3; k++) {
		new_machine();
		start(3, ROOMS_FIRMWARE, false);
		if (k == 1)
			load_words = "x";
		start(k == 2 ? 1 : 3, k ? ROOMS_FIRMWARE : ROOMS_BOTH, false);
		assert_non_null(strstr(said, "in run 2: the configuration is another one"));
		assert_int_equal(config.options.run, then[k]);
	}
}

/* The choice at the prompt of the first start holds for all starts. */
TEST(choices_are_remembered)
{
	start(3, ROOMS_FIRMWARE, false);
	journal_counts()->series.profile = PROFILE_SMOKE;
	journal_counts()->series.rooms = ROOMS_BARE;
	series_note();
	start(3, ROOMS_FIRMWARE, false);
	assert_int_equal(config.options.profile, PROFILE_SMOKE);
	assert_int_equal(config.rooms, ROOMS_BARE);
}

/* A series that a reset would not find again is not begun: there is one run. */
TEST(what_cannot_be_noted_is_one_run)
{
	read_only = true;
	assert_int_equal(start(3, ROOMS_FIRMWARE, false), DONE_FINISHED);
	assert_non_null(strstr(said, "ends, in run 1: the starts cannot be counted in a file"));
	assert_int_equal(count(files, FILES), 1);
	assert_true(file_exists("20260101T000001Z-firmware-1.ndjson"));
	new_machine();
	writes_refused_after = 0;
	assert_int_equal(start(3, ROOMS_FIRMWARE, false), DONE_FINISHED);
	assert_non_null(strstr(said, "the firmware does not store a variable"));
}

/* The file is enough where variables do not outlive a reset. */
TEST(variables_that_are_forgotten)
{
	forgets = true;
	all_starts(3, ROOMS_FIRMWARE);
	assert_all_there(3, ROOMS_FIRMWARE);
}

/* A variable of another program, with each number beyond its bounds in turn, is no series. */
TEST(a_foreign_variable_is_no_series)
{
	static const struct run_series foreign[] = { { "s", 0, 100, 2, 0, 0, 0 },
		{ "s", 0, 3, 4, 0, 0, 0 }, { "s", 0, 3, 0, 0, 0, 0 }, { "s", 0, 3, 2, 100, 0, 0 },
		{ "s", 0, 3, 2, 0, 3, 0 }, { "s", 0, 3, 2, 0, 0, 3 }, { "-", 0, 3, 2, 0, 0, 0 } };
	char text[JOURNAL_BYTES + 1];

	for (unsigned i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		const struct journal_state state = { .counts.series = foreign[i] };

		new_machine();
		set_item(find_item(variables, VARIABLES, ""), "AnechoicJournal", text,
			write_text(&state, false, text));
		start(3, ROOMS_BARE, false);
		assert_int_equal(config.options.run, 1);
		if (strstr(said, "ends, in run"))
			fail_msg("series %u of these is believed: %s", i, said);
	}
}
