/* SPDX-License-Identifier: MIT */
/* Interrupts of a machine whose CPUs are numbered alternately, moved and given back. */
#include <signal.h>
#include <sys/wait.h>

#include "linux/hosted_room.c"
#include "tests/unit/root_files.h"

#define CPUS 512

static struct hosted h;
static struct cpu_location cpus[CPUS];
static char all[8 * CPUS], others[8 * CPUS], file[128];

BEFORE_EACH(every_second_cpu)
{
	unsigned n = 0;

	make_root();
	h = (struct hosted){ .scheduling.cpu = 4, .topology = cpus };
	h.room.facts.cpus = CPUS;
	for (unsigned i = 0; i < CPUS; i++) {
		cpus[i].id = 2 * i;
		n += (unsigned)sprintf(all + n, i ? ",%u" : "%u", 2 * i);
	}
	snprintf(others, sizeof others, "0,2%s", all + strlen("0,2,4"));
	snprintf(file, sizeof file, "%s/24/smp_affinity_list", root);
	put("/24/smp_affinity_list", all);
	put("/25/smp_affinity_list", "0-3");
}

AFTER_EACH(remove_root);

static void expect(const char *list)
{
	char *now = file_line(file);

	assert_string_equal(list, now);
	free(now);
}

TEST(an_affinity_comes_back_byte_for_byte)
{
	assert_int_equal(0, move_irqs(&h, root));
	assert_int_equal(1, h.remedies.irqs.n);
	expect(others);
	assert_int_equal(0, clock_setting_restore(&h.remedies.irqs));
	expect(all);
}

/* Another program, or Linux itself, has changed it: what was there does not come back. */
TEST(an_affinity_that_does_not_come_back_is_counted)
{
	assert_int_equal(0, move_irqs(&h, root));
	unlink(file);
	assert_int_equal(0, symlink("/dev/null", file));
	assert_int_equal(1, clock_setting_restore(&h.remedies.irqs));
}

TEST(a_killed_run_gives_it_back)
{
	keeper_done();
	pid_t run = fork();
	if (!run) {
		move_irqs(&h, root);
		kill(getpid(), SIGKILL);
	}
	waitpid(run, NULL, 0);
	char *now = NULL;
	for (unsigned i = 0; i < 1200 && !(now && !strcmp(now, all)); i++) {
		usleep(i ? 50000 : 0);
		free(now);
		now = file_line(file);
	}
	free(now);
	expect(all);
}
