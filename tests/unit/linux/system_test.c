/* SPDX-License-Identifier: MIT */
/* The kernel's own words about its build and command line; and the machine's names. */
#include <stdio.h>
#include <string.h>

#include "linux/system.c"
#include "tests/unit/root_files.h"

static void expect_options(const char *line, const char *chosen)
{
	char out[128];

	kernel_options_choose(line, out);
	assert_string_equal(chosen, out);
}

TEST(options_that_decide)
{
	expect_options("", "");
	expect_options("root=/dev/sda1 ro quiet\n", "");
	expect_options("BOOT_IMAGE=/x  mitigations=off quiet nohz_full=1-3 isolcpus=nohz,1\n",
		"mitigations=off nohz_full=1-3 isolcpus=nohz,1");
	expect_options("nopti nosmt=force idle=poll", "nopti nosmt=force idle=poll");
	expect_options("spectre_v2=on intel_idle.max_cstate=0",
		"spectre_v2=on intel_idle.max_cstate=0");
	expect_options("nopticalillusion ptic=1 midle=poll xmitigations=off", "");
	expect_options("preempt=full -- idle=poll mitigations=off", "preempt=full");
	expect_options("isolcpus=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 tsc=x",
		"isolcpus=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 tsc=x");
}

static void expect_preemption(const char *version, const char *mode, const char *text)
{
	char out[32];

	kernel_preemption(version, mode, out, sizeof out);
	assert_string_equal(text, out);
}

TEST(preemption)
{
	expect_preemption("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "", "dynamic");
	expect_preemption("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "none (voluntary) full",
		"dynamic: voluntary");
	expect_preemption("#1 SMP PREEMPT_RT Debian", "", "real-time");
	expect_preemption("#1 SMP PREEMPT Thu", "", "full");
	expect_preemption("#1 SMP Thu", "", "none or voluntary");
}

BEFORE_EACH(make_root);
AFTER_EACH(remove_root);

TEST(names_by_made_up_files)
{
	struct host h;

	h = host_names_read(root);
	assert_string_equal(h.uuid, "");
	assert_string_equal(h.mac, "");
	put("/sys/class/net/br0/address", "02:00:00:00:00:01"); /* no device */
	put("/sys/class/net/eth2/address", "02:00:00:00:00:02");
	put("/sys/class/net/eth2/device", "");
	put("/sys/class/net/eth10/address", "02:00:00:00:00:ab");
	put("/sys/class/net/eth10/device", "");
	put("/sys/class/net/eth0/address", "80:00:02:08:fe:80:00:00"); /* InfiniBand */
	put("/sys/class/net/eth0/device", "");
	assert_string_equal(h.no_modules, "this machine has no SMBIOS");
	put("/sys/class/dmi/id/product_serial", "SN 123");
	put("/sys/class/dmi/id/bios_version", "F7b");
	put("/sys/class/dmi/id/bios_date",
		"a date of more than sixty-three bytes: 01/01/2020 01/01/2020 01/01/2020");
	put("/sys/class/dmi/id/sys_vendor", "maker");
	put("/sys/class/dmi/id/product_name", "Box 7");
	put("/sys/class/dmi/id/board_vendor", "mill");
	put("/sys/class/dmi/id/board_name", "X-1");
	h = host_names_read(root);
	assert_string_equal(h.firmware_version, "F7b");
	assert_string_equal(h.firmware_date,
		"a date of more than sixty-three bytes: 01/01/2020 01/01/2020...");
	assert_string_equal(h.board, "mill X-1");
	assert_string_equal(h.system, "maker Box 7");
	char command[256];
	snprintf(command, sizeof command,
		"mkdir -p %s/sys/firmware/dmi/tables && "
		"printf '\\000\\005\\000\\000\\001maker\\000\\000' >%s/sys/firmware/dmi/tables/DMI",
		root, root);
	assert_int_equal(system(command), 0);
	h = host_names_read(root);
	assert_null(h.no_modules);
	assert_string_equal(h.firmware_vendor, "maker");
	assert_string_equal(h.mac, "02-00-00-00-00-ab");
	assert_string_equal(h.serial, "SN 123");
	assert_string_equal(h.uuid, "");
	/* SMBIOS 2.4: the bytes of the UUID in order */
	snprintf(command, sizeof command,
		"cd %s/sys/firmware/dmi/tables && printf '_SM_..\\002\\004' >smbios_entry_point && "
		"printf '\\001\\031\\0\\0\\0\\0\\0\\0abcdefghijklmnop\\006\\0\\0' >DMI",
		root);
	assert_int_equal(system(command), 0);
	h = host_names_read(root);
	assert_string_equal(h.uuid, "61626364-6566-6768-696a-6b6c6d6e6f70");
}

static void expect_limits(struct cgroup_limits l, const char *expected)
{
	char json[256];
	struct jsonl j;

	jsonl_begin(&j, json, sizeof json);
	put_limits(&j, &l);
	json[j.used] = 0;
	assert_string_equal(json, expected);
}

TEST(limits_of_control_groups)
{
	expect_limits((struct cgroup_limits){ .memory_left = UINT64_MAX, .throttled = 1 }, "{");
	expect_limits((struct cgroup_limits){ .cpus = 1.5 }, "{\"cgroup\":{\"cpus\":1.500000}");
	expect_limits((struct cgroup_limits){ .memory_bytes = 1 << 30, .cpuset = "2-3" },
		"{\"cgroup\":{\"memory_bytes\":1073741824,\"cpuset\":\"2-3\"}");
}
