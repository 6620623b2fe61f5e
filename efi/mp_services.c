/* SPDX-License-Identifier: MIT */
/*
 * The other processors before ExitBootServices: EFI_MP_SERVICES_PROTOCOL, whose StartupThisAP calls
 * a function on one of them (UEFI PI 1.7, volume 2, 13.4).
 */
#include "efi/firmware.h"

#define MAX_CPUS 1024

struct mp_information {
	UINT64 id;
	UINT32 flags; /* 1 this is the boot processor, 2 enabled, 4 healthy */
	UINT32 package, core, thread;
	UINT64 extended[3];
};

typedef void EFIAPI work(void *);

struct mp {
	EFI_STATUS(EFIAPI *count)(struct mp *, UINTN *all, UINTN *enabled);
	EFI_STATUS(EFIAPI *information)(struct mp *, UINTN number, struct mp_information *);
	void *start_all;
	/* StartupThisAP */
	EFI_STATUS(EFIAPI *start)(struct mp *, work *, UINTN, EFI_EVENT, UINTN, void *, BOOLEAN *);
	void *switch_boot_processor, *enable, *who_am_i;
};

struct call {
	void (*fn)(void *);
	void *arg;
	EFI_EVENT ended; /* NULL: nothing was started */
};

static struct mp *mp;
static UINT16 numbers[MAX_CPUS]; /* the firmware's number of CPU i; CPU 0 is the one we run on */
static UINT32 ids[MAX_CPUS];     /* APIC id of CPU i */
static unsigned found;
static struct call calls[MAX_CPUS];

static uint32_t id(unsigned cpu)
{
	return cpu < found ? ids[cpu] : UINT32_MAX;
}

static void EFIAPI procedure(void *arg)
{
	struct call *c = arg;

	c->fn(c->arg);
}

static uint64_t start(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (!cpu || cpu >= found)
		return EFI_INVALID_PARAMETER;
	struct call *c = &calls[cpu];
	if (c->ended)
		return EFI_NOT_READY;
	EFI_STATUS status = fw.boot->CreateEvent(0, 0, NULL, NULL, &c->ended);
	if (EFI_ERROR(status)) {
		c->ended = NULL;
		return status;
	}
	c->fn = fn;
	c->arg = arg;
	status = mp->start(mp, procedure, numbers[cpu], c->ended, 0, c, NULL);
	if (EFI_ERROR(status)) {
		fw.boot->CloseEvent(c->ended);
		c->ended = NULL;
	}
	return status;
}

static bool done(unsigned cpu)
{
	if (!cpu || cpu >= found || !calls[cpu].ended)
		return true;
	if (EFI_ERROR(fw.boot->CheckEvent(calls[cpu].ended)))
		return false;
	fw.boot->CloseEvent(calls[cpu].ended);
	calls[cpu].ended = NULL;
	return true;
}

static void list(void)
{
	static EFI_GUID guid = { 0x3fdda605, 0xa76e, 0x4f46,
		{ 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };
	struct mp_information info;
	UINTN all, enabled;

	found = 1; /* the one we run on */
	if (EFI_ERROR(fw.boot->LocateProtocol(&guid, NULL, (void **)&mp)) ||
		EFI_ERROR(mp->count(mp, &all, &enabled)))
		return;
	for (UINTN i = 0; i < all && found < MAX_CPUS; i++)
		if (!EFI_ERROR(mp->information(mp, i, &info)) && (info.flags & 7) == 6) {
			ids[found] = (UINT32)info.id;
			numbers[found++] = (UINT16)i;
		}
}

/* The protocol is not touched before: the kernel decides whether it may be. */
static unsigned cpus(void)
{
	if (!found)
		list();
	return found;
}

void cpus_open(struct machine *m)
{
	m->cpus = cpus;
	m->cpu_id = id;
	m->cpu_start = start;
	m->cpu_done = done;
}
