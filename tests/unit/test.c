/* SPDX-License-Identifier: MIT */
/* The main program of each unit test: runs what the macros of test.h have registered. */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct test *__start_tests[], *__stop_tests[];

static struct {
	pid_t process;
	int said; /* where its standard error can be read */
} breaking;

bool breaking_begin(void)
{
	int ends[2];

	if (pipe(ends) || (breaking.process = fork()) < 0)
		fail_msg("no process: %s", strerror(errno));
	if (!breaking.process) {
		signal(SIGABRT, SIG_DFL); /* not cmocka's */
		dup2(ends[1], STDERR_FILENO);
		return true;
	}
	close(ends[1]);
	breaking.said = ends[0];
	return false;
}

void breaking_survived(void)
{
	_exit(0);
}

void breaking_end(const char *condition)
{
	char said[256] = "", came[256] = "";
	FILE *from = fdopen(breaking.said, "r");
	int status, line;

	while (fgets(said, sizeof said, from))
		;
	fclose(from);
	waitpid(breaking.process, &status, 0);
	sscanf(said, "anechoic: %*[^:]:%d: this must hold: %255[^\n]", &line, came);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strcmp(came, condition))
		fail_msg("expected '%s' to be broken, came status %#x and '%s'", condition, status,
			said);
}

static int by_line(const void *a, const void *b)
{
	const struct test *const *x = a, *const *y = b;

	return (*x)->line - (*y)->line;
}

static void run_all(enum test_when when)
{
	for (const struct test **t = __start_tests; t < __stop_tests; t++)
		if ((*t)->when == when)
			(*t)->run();
}

/* Runs the nearest one above a test. */
static void run_above(const struct test *test, enum test_when when)
{
	const struct test *nearest = NULL;

	for (const struct test **t = __start_tests; t < __stop_tests; t++)
		if ((*t)->when == when && (*t)->line < test->line)
			nearest = *t;
	if (nearest)
		nearest->run();
}

static int before(void **state)
{
	run_above(*state, TEST_BEFORE_EACH);
	return 0;
}

static int after(void **state)
{
	run_above(*state, TEST_AFTER_EACH);
	return 0;
}

static void run(void **state)
{
	((const struct test *)*state)->run();
}

int main(void)
{
	size_t count = 0;
	int failed;

	qsort(__start_tests, (size_t)(__stop_tests - __start_tests), sizeof *__start_tests,
		by_line);
	for (const struct test **t = __start_tests; t < __stop_tests; t++)
		count += (*t)->when == TEST_ITSELF;

	struct CMUnitTest tests[count], *next = tests;

	for (const struct test **t = __start_tests; t < __stop_tests; t++)
		if ((*t)->when == TEST_ITSELF)
			*next++ = (struct CMUnitTest){ (*t)->name, run, before, after, (void *)*t };
	/* Not as a group's: what they print or do comes before the count of tests is printed. */
	run_all(TEST_BEFORE_ALL);
	failed = cmocka_run_group_tests_name(program_invocation_short_name, tests, NULL, NULL);
	run_all(TEST_AFTER_ALL);
	return failed;
}
