/* SPDX-License-Identifier: MIT */
/* The processors: MP services and the state that the firmware leaves. */
#include <string.h>

#include "kernel/cpu/x86.h"
#include "tests/hostile/hostile_efi.h"

typedef void EFIAPI work(void *);

/* EFI_MP_SERVICES_PROTOCOL (UEFI PI 1.7, volume 2, 13.4). */
struct mp_services {
	void *count, *information, *start_all;
	EFI_STATUS(EFIAPI *start)
	(struct mp_services *, work *, UINTN number, EFI_EVENT, UINTN, void *, BOOLEAN *);
	void *switch_boot_processor, *enable, *who_am_i;
};

static EFI_GUID mp_guid = { 0x3fdda605, 0xa76e, 0x4f46,
	{ 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };

static struct mp_services *firmware_mp;
static work *instead; /* what a processor does when it is started; NULL: the call hangs */

static void EFIAPI spin(void *arg)
{
	for (;;)
		__builtin_ia32_pause();
}

static void EFIAPI fault(void *arg)
{
	__asm__ volatile("ud2");
}

static EFI_STATUS EFIAPI start(struct mp_services *mp, work *fn, UINTN number, EFI_EVENT ended,
	UINTN timeout, void *arg, BOOLEAN *finished)
{
	if (!instead)
		hang_in("StartupThisAP");
	return firmware_mp->start(firmware_mp, instead, number, ended, timeout, arg, finished);
}

static uint64_t refusal;

static EFI_STATUS EFIAPI refuse(struct mp_services *mp, work *fn, UINTN number, EFI_EVENT ended,
	UINTN timeout, void *arg, BOOLEAN *finished)
{
	if (ended)
		return EFIERR(refusal);
	return firmware_mp->start(firmware_mp, fn, number, ended, timeout, arg, finished);
}

static EFI_STATUS EFIAPI block(struct mp_services *mp, work *fn, UINTN number, EFI_EVENT ended,
	UINTN timeout, void *arg, BOOLEAN *finished)
{
	EFI_STATUS status = firmware_mp->start(firmware_mp, fn, number, NULL, 0, arg, finished);

	if (ended && !EFI_ERROR(status))
		real.boot->SignalEvent(ended);
	return status;
}

static EFI_STATUS(EFIAPI *start_instead)(struct mp_services *, work *, UINTN, EFI_EVENT, UINTN,
	void *, BOOLEAN *) = start;

/*
 * The firmware's own functions look at `mp` for more than the protocol shows, so the others get
 * the firmware's: this one is in its place for good, also for the firmware.
 */
static void *changed(void *interface)
{
	static struct mp_services before;

	if (firmware_mp)
		return interface;
	before = *(struct mp_services *)interface;
	firmware_mp = &before;
	((struct mp_services *)interface)->start = start_instead;
	return interface;
}

static void begin_never_returns(uint64_t n)
{
	protocol_replace(&mp_guid, changed);
}

static void begin_refuses(uint64_t n)
{
	refusal = n;
	start_instead = refuse;
	protocol_replace(&mp_guid, changed);
}

static void begin_blocks(uint64_t n)
{
	start_instead = block;
	protocol_replace(&mp_guid, changed);
}

static void begin_absent(uint64_t n)
{
	protocol_replace(&mp_guid, NULL);
}

static void begin_spins(uint64_t n)
{
	instead = spin;
	protocol_replace(&mp_guid, changed);
}

static void begin_faults(uint64_t n)
{
	instead = fault;
	protocol_replace(&mp_guid, changed);
}

#define ENTRIES  512
#define PRESENT  1ULL
#define LARGE    (1ULL << 7)
#define XD       (1ULL << 63)
#define ADDRESS  0x000ffffffffff000ULL
#define LEVELS_5 (1ULL << 12) /* CR4.LA57 */

/* Takes bit 63 out of a table and of those below it. */
static void allow_execution(uint64_t *table, int level)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		if (!(table[i] & PRESENT))
			continue;
		if (table[i] & XD)
			table[i] &= ~XD;
		if (level > 1 && !(table[i] & LARGE))
			allow_execution((uint64_t *)(table[i] & ADDRESS), level - 1);
	}
}

/*
 * Clear EFER.NXE, like a firmware that protects no memory. EDK2 starts the other processors with
 * the EFER.NXE of this one (MpInitLib, FillExchangeInfoData).
 */
static void begin_nxe_off(uint64_t n)
{
	uint64_t cr0 = read_cr0();

	write_cr0(cr0 & ~(1ULL << 16)); /* WP: the tables may be read-only */
	allow_execution((uint64_t *)(read_cr3() & ADDRESS), read_cr4() & LEVELS_5 ? 5 : 4);
	write_cr3(read_cr3());
	wrmsr(0xc0000080, rdmsr(0xc0000080) & ~(1ULL << 11));
	write_cr0(cr0);
}

enum { MTRR_CAPABILITIES = 0xfe, MTRR_BASE = 0x200, MTRR_MASK = 0x201 };
#define MTRR_VALID (1 << 11)

/* The end of the highest free memory. */
static uint64_t memory_top(void)
{
	static unsigned char map[1 << 18];
	UINTN bytes = sizeof map, key, one = 0;
	UINT32 version;
	uint64_t top = 0;

	if (real.boot->GetMemoryMap(&bytes, (void *)map, &key, &one, &version))
		return 0;
	for (UINTN at = 0; at < bytes; at += one) {
		EFI_MEMORY_DESCRIPTOR *d = (void *)(map + at);
		uint64_t end = d->PhysicalStart + d->NumberOfPages * PAGE_BYTES;

		if (d->Type == EfiConventionalMemory && end > top)
			top = end;
	}
	return top;
}

static void begin_mtrr_hole(uint64_t mib)
{
	uint64_t size = mib << 20, base = (memory_top() - 1) & -size;

	for (uint32_t i = 0; i < 2 * (rdmsr(MTRR_CAPABILITIES) & 0xff); i += 2)
		if (!(rdmsr(MTRR_MASK + i) & MTRR_VALID)) {
			wrmsr(MTRR_BASE + i, base);
			wrmsr(MTRR_MASK + i, (((1ULL << 40) - 1) & -size) | MTRR_VALID);
			return;
		}
	for (;;) /* no pair is free: the test must not pass without a hole */
		__asm__ volatile("hlt");
}

/* Bank 1: valid, uncorrected, enabled, an error of the memory controller. */
static void begin_machine_check(uint64_t n)
{
	wrmsr(0x405, 0xb000000000000090);
}

const struct firmware_misbehaviour cpu_misbehaviours[] = {
	{ "mp-never-returns", 0, begin_never_returns },
	{ "mp-absent", 0, begin_absent },
	{ "mp-refuses", 3, begin_refuses },
	{ "mp-blocks", 0, begin_blocks },
	{ "mtrr-hole", 64, begin_mtrr_hole },
	{ "ap-spins", 0, begin_spins },
	{ "ap-faults", 0, begin_faults },
	{ "efer-nxe-off", 0, begin_nxe_off },
	{ "machine-check-pending", 0, begin_machine_check },
	{ 0 },
};
