/* SPDX-License-Identifier: MIT */
/* The restart of `anechoic boot --reboot`: by systemctl, which is a script here. */
#include "linux/command_boot.c"
#include "tests/unit/root_files.h"

static bool with_systemd;
static unsigned restarts; /* by the kernel */

int access(const char *path, int mode)
{
	if (!strcmp(path, "/run/systemd/system"))
		return with_systemd ? 0 : -1;
	return faccessat(AT_FDCWD, path, mode, 0);
}

int reboot(int how)
{
	assert_int_equal(RB_AUTOBOOT, how);
	restarts++;
	return -1;
}

void sync(void)
{
}

BEFORE_EACH(a_systemctl)
{
	char path[160];

	make_root();
	put("/bin/systemctl",
		"#!/bin/sh\necho \"$* ${SYSTEMCTL_SKIP_AUTO_KEXEC-unset} "
		"${SYSTEMCTL_SKIP_AUTO_SOFT_REBOOT-unset}\" >${0%/*}/said\n"
		"exit $(cat ${0%/*}/code)");
	put("/bin/code", "0");
	snprintf(path, sizeof path, "%s/bin/systemctl", root);
	assert_int_equal(0, chmod(path, 0755));
	snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", root);
	setenv("PATH", path, 1);
	with_systemd = true;
	restarts = 0;
}

AFTER_EACH(remove_root);

/* A kernel that is loaded for kexec would be started without the firmware. */
TEST(the_firmware_is_reached)
{
	char path[160], said[64];

	assert_int_equal(EXIT_OK, restart());
	snprintf(path, sizeof path, "%s/bin/said", root);
	assert_true(read_line(path, said, sizeof said));
	assert_string_equal("reboot 1 1", said);
	assert_int_equal(0, restarts);
}

/* An inhibitor; no systemctl; no systemd. */
TEST(a_restart_that_is_refused_is_a_failure)
{
	char path[160];

	put("/bin/code", "1");
	assert_int_equal(EXIT_FAILED, restart());
	snprintf(path, sizeof path, "%s/none", root);
	setenv("PATH", path, 1);
	assert_int_equal(EXIT_FAILED, restart());
	assert_int_equal(0, restarts);
	setenv("PATH", "/usr/bin:/bin", 1);
	with_systemd = false;
	assert_int_equal(EXIT_FAILED, restart());
	assert_int_equal(1, restarts);
}
