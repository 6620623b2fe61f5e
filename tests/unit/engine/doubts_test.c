/* SPDX-License-Identifier: MIT */
/* Machines that hide what they are, and those that have nothing to hide. */
#include "engine/doubts.h"
#include "lib/result_line.h"
#include "tests/unit/test.h"

#define GUEST (1u << 31) /* leaf 1, ecx */

static struct {
	const char *brand;
	uint32_t crystal, numerator, base_mhz; /* leaves 15h (over 2) and 16h; 0: none */
	uint64_t stamp, cpuid;                 /* ticks */
	bool any_msr;
} cpu;

static uint64_t clock_ticks;

static struct cpuid answer(struct room *room, uint32_t leaf, uint32_t sub)
{
	struct cpuid c = { 0 };
	char brand[48] = "";

	clock_ticks += cpu.cpuid;
	strncpy(brand, cpu.brand, sizeof brand);
	switch (leaf) {
	case 0:
		return (struct cpuid){ 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct cpuid){ 0x50654, 0, 0, 0 };
	case 0x15:
		return (struct cpuid){ cpu.crystal ? 2 : 0, cpu.numerator, cpu.crystal, 0 };
	case 0x16:
		return (struct cpuid){ cpu.base_mhz, 0, 0, 0 };
	case 0x80000000:
		return (struct cpuid){ 0x80000008, 0, 0, 0 };
	case 0x80000002:
	case 0x80000003:
	case 0x80000004:
		memcpy(&c, brand + 16 * (leaf - 0x80000002), 16);
	}
	return c;
}

static uint64_t now(struct room *room)
{
	return clock_ticks += cpu.stamp;
}

static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	*value = 0;
	return cpu.any_msr ? 0 : -1;
}

static struct room room;

/* A machine of silicon: all that it says and does is right. */
static void silicon(void)
{
	memset(&cpu, 0, sizeof cpu);
	cpu.brand = "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz";
	cpu.crystal = 25000000;
	cpu.numerator = 168;
	cpu.base_mhz = 2100;
	cpu.stamp = 20;
	cpu.cpuid = 200;
	room = (struct room){ .cpuid = answer,
		.now = now,
		.read_msr = read_msr,
		.facts = { .hypervisor = "",
			.tsc_hz = 2.1e9,
			.tsc = { { "hpet", 2.1e9, false } },
			.tsc_sources = 1,
			.host = { .firmware_vendor = "American Megatrends Inc.",
				.system = "Supermicro SYS-6029P",
				.board = "Supermicro X11DPi-N" },
			.acpi_maker = "SUPERM SMCI--MB" } };
}

static void expect(enum doubt kind, const char *why)
{
	doubts_of_machine(&room);
	if (room.facts.may_be != kind || strcmp(room.facts.may_be_why, why))
		fail_msg("expected %d '%s'\ncame %d '%s'", kind, why, room.facts.may_be,
			room.facts.may_be_why);
}

TEST(silicon_is_not_doubted)
{
	silicon();
	expect(DOUBT_NONE, "");
	cpu.cpuid = 29 * cpu.stamp;
	expect(DOUBT_NONE, "");
	cpu.stamp = 390; /* a core at a fifth of the rate of its TSC */
	cpu.cpuid = 3900;
	expect(DOUBT_NONE, "");
	room.facts.tsc_hz = 2.2e9; /* 15h may be 4.7 % off, 16h and the brand more */
	expect(DOUBT_NONE, "");
	silicon();
	cpu.stamp = 0; /* a TSC too coarse to tell */
	cpu.cpuid = 1;
	expect(DOUBT_NONE, "");
	silicon();
	cpu.crystal = cpu.base_mhz = 0;
	cpu.brand = "Intel(R) Core(TM) m3-6Y30 CPU @ 0.90GHz"; /* whose TSC has 1.5 GHz */
	room.facts.tsc_hz = 1.5e9;
	expect(DOUBT_NONE, "");
	cpu.brand = "";
	strcpy(room.facts.host.board, "Xenon QEMUlator OVMFs"); /* words within words */
	expect(DOUBT_NONE, "");
}

TEST(names_tell)
{
	silicon();
	cpu.brand = "QEMU TCG CPU version 2.5+";
	expect(DOUBT_EMULATED, "the brand is \"QEMU TCG CPU version 2.5+\"");
	cpu.brand = "VirtualApple @ 2.50GHz processor"; /* Rosetta 2 */
	expect(DOUBT_EMULATED, "the brand is \"VirtualApple @ 2.50GHz processor\"");
	silicon();
	cpu.brand = "Intel Xeon Processor (Skylake)";
	expect(DOUBT_VIRTUAL, "the brand is \"Intel Xeon Processor (Skylake)\"");
	silicon();
	strcpy(room.facts.host.firmware_vendor, "EFI Development Kit II / OVMF");
	expect(DOUBT_VIRTUAL, "the firmware is \"EFI Development Kit II / OVMF\"");
	strcpy(room.facts.host.system, "VMware7,1");
	strcpy(room.facts.host.board, "Microsoft Corporation Virtual Machine");
	strcpy(room.facts.acpi_maker, "BOCHS BXPC");
	expect(DOUBT_VIRTUAL,
		"the firmware is \"EFI Development Kit II / OVMF\"; the system is \"VMware7,1\"; "
		"the board is \"Microsoft Corporation Virtual Machine\"; "
		"ACPI's maker is \"BOCHS BXPC\"");
}

TEST(rates_tell)
{
	silicon();
	room.facts.tsc_hz = 2.3e9; /* the hypervisor scales it, and forgot the claim */
	expect(DOUBT_VIRTUAL, "CPUID 15h claims 2100 MHz, the time stamps have 2300");
	room.facts.tsc_hz = 40e6;
	expect(DOUBT_EMULATED,
		"the brand claims 2100 MHz, the time stamps have 40; "
		"CPUID 15h claims 2100 MHz, the time stamps have 40; "
		"CPUID 16h claims 2100 MHz, the time stamps have 40");
	room.facts.tsc[0].claimed = true; /* nobody has timed it */
	expect(DOUBT_NONE, "");
	silicon();
	cpu.crystal = cpu.base_mhz = 0;
	cpu.brand = "Intel(R) Core(TM) i7-2600K CPU @ 3.40GHz";
	room.facts.tsc_hz = 0.84e9;
	expect(DOUBT_EMULATED, "the brand claims 3400 MHz, the time stamps have 840");
	room.facts.tsc_hz = 0.86e9;
	expect(DOUBT_NONE, "");
	cpu.brand = "Virtual 800MHz";
	room.facts.tsc_hz = 3.3e9;
	expect(DOUBT_EMULATED, "the brand claims 800 MHz, the time stamps have 3300");
}

TEST(what_a_hypervisor_must_execute_takes_long)
{
	silicon();
	cpu.cpuid = 30 * cpu.stamp;
	expect(DOUBT_VIRTUAL, "CPUID takes 620 ticks, a time stamp 20");
	cpu.stamp = cpu.cpuid = 1500; /* time stamps leave the guest as well */
	expect(DOUBT_VIRTUAL, "two time stamps are 1500 ticks apart");
}

TEST(an_msr_of_nobody_tells)
{
	silicon();
	cpu.any_msr = true;
	expect(DOUBT_VIRTUAL, "it answers for MSRs that no processor has");
	room.read_msr = NULL;
	expect(DOUBT_NONE, "");
}

TEST(who_is_named_is_asked_less)
{
	silicon();
	cpu.any_msr = true;
	cpu.brand = "QEMU TCG CPU version 2.5+";
	room.facts.hypervisor = "KVMKVMKVM";
	expect(DOUBT_EMULATED, "the brand is \"QEMU TCG CPU version 2.5+\"");
	assert_string_equal(facts_mark(&room.facts), "EMULATED?");
	cpu.brand = "Common KVM processor";
	expect(DOUBT_NONE, "");
	assert_string_equal(facts_mark(&room.facts), "VIRTUAL");
	room.facts.hypervisor = "";
	expect(DOUBT_VIRTUAL,
		"the brand is \"Common KVM processor\"; "
		"it answers for MSRs that no processor has");
	assert_string_equal(facts_mark(&room.facts), "VIRTUAL?");
	room.facts.emulated = true;
	expect(DOUBT_NONE, "");
	assert_string_equal(facts_mark(&room.facts), "EMULATED");
	room.facts.hypervisor = HYPERVISOR_SIMULATED;
	assert_string_equal(facts_mark(&room.facts), "SIMULATED");
}

/* What is measured anew, in ticks; the adds take one each, and a disturbed call the more. */
static struct {
	double load[2], multiply[2]; /* in the first and in the second moment */
	double gap;                  /* of two calls of four */
	unsigned loads, moment, calls;
} again;

/* Nine loads, and as many multiplications, are of one moment. */
static struct timed call(struct room *r, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	double ticks = 64 * (double)args[0];

	if (loop == loop_chase) {
		again.moment = again.loads++ / 9;
		ticks = 16 * again.load[again.moment] * (double)args[1];
	} else if (loop == loop_multiply_chain) {
		ticks = 64 * again.multiply[again.moment] * (double)args[0];
	}
	return (struct timed){ .ticks = (uint64_t)(ticks +
				       (again.calls++ % 4 > 1 ? again.gap : 0)) };
}

static unsigned char memory[64 * 1024] __attribute__((aligned(4096)));

static void expect_load(double cycles, enum doubt kind, const char *why)
{
	struct bench b = { .room = &room,
		.core_hz = 2e9,
		.turn_cycles = 64,
		.clock_turns = 32,
		.arena = { .base = memory, .bytes = sizeof memory } };

	room.call = call;
	again.loads = again.calls = 0;
	b.pace.ns_per_near_load = cycles / 2;
	doubts_of_pace(&b);
	assert_int_equal(room.facts.may_be, kind);
	assert_string_equal(room.facts.may_be_why, why);
}

static void measured_again(double load, double later, double multiply, double multiply_later)
{
	again.load[0] = load;
	again.load[1] = later;
	again.multiply[0] = multiply;
	again.multiply[1] = multiply_later;
	again.gap = 0;
}

TEST(impossible_loads_tell)
{
	static const char both[] =
		"a load from the nearest cache takes 1.0 core cycles, a multiplication 1.0";

	silicon();
	measured_again(1, 1, 1, 1);
	expect_load(0, DOUBT_NONE, "");
	expect_load(3, DOUBT_NONE, "");
	expect_load(6, DOUBT_NONE, "");
	expect_load(1, DOUBT_EMULATED, both);
	assert_int_equal(18, again.loads);
	expect_load(1, DOUBT_EMULATED, both); /* in the next room: said once */
	assert_int_equal(0, again.loads);
	silicon();
	measured_again(14, 14, 30, 20);
	expect_load(14, DOUBT_EMULATED,
		"a load from the nearest cache takes 14.0 core cycles, a multiplication 20.0");
}

/*
 * A guest's start clock read 0.94 GHz for 3.6 in 4 of 38 runs: loads of 4 cycles took 1.1. The
 * clock of the moment tells that nothing is wrong, also where two calls of four are disturbed.
 */
TEST(a_sign_that_goes_away_is_none)
{
	silicon();
	measured_again(4, 4, 3, 3);
	expect_load(1.1, DOUBT_NONE, "");
	assert_int_equal(9, again.loads);
	again.gap = 50000;
	expect_load(1.1, DOUBT_NONE, "");
	measured_again(1, 4, 1, 3);
	expect_load(1, DOUBT_NONE, "");
	assert_int_equal(18, again.loads);
}

/* Loads that stay impossible are a lesser doubt, unless a second sign stays as well. */
TEST(one_sign_alone_is_a_lesser_doubt)
{
	static const char load[] = "a load from the nearest cache takes 14.0 core cycles";

	silicon();
	measured_again(14, 14, 3, 3);
	expect_load(14, DOUBT_VIRTUAL, load);
	silicon();
	measured_again(14, 14, 1, 3);
	expect_load(14, DOUBT_VIRTUAL, load);
	silicon();
	room.facts.hypervisor = "KVMKVMKVM";
	expect_load(14, DOUBT_NONE, ""); /* one is named already */
}

TEST(makers_of_acpi_tables_are_read)
{
	silicon();
	doubts_acpi_maker(&room.facts,
		"FACP\x74\0\0\0\3\x7e"
		"BOCHS BXPC    ");
	assert_string_equal(room.facts.acpi_maker, "BOCHS BXPC");
	doubts_acpi_maker(&room.facts,
		"FACP\x74\0\0\0\3\x7e"
		"ABCDEF12345678");
	assert_string_equal(room.facts.acpi_maker, "ABCDEF 12345678");
	doubts_acpi_maker(&room.facts,
		"FACP\x74\0\0\0\3\x7e"
		"\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	assert_string_equal(room.facts.acpi_maker, "");
}
