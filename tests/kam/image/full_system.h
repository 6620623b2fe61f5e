/* SPDX-License-Identifier: MIT */
/*
 * Layer B, full system: the shipped image on a fake firmware. Two Unicorns share one memory: one
 * runs the plain C, without a model; whenever that enters section .loops, the other, with the model
 * attached, runs from there until it returns. Time passes in the model alone.
 */
#ifndef TESTS_KAM_IMAGE_FULL_SYSTEM_H
#define TESTS_KAM_IMAGE_FULL_SYSTEM_H

#include <stdio.h>

#include "engine/room.h"
#include "tests/kam/run/emulator.h"
#include "tests/kam/run/loops_only.h"
#include "tests/kam/image/image.h"
#include "tests/kam/image/memmap.h"
#include "tests/kam/image/ram.h"

/*
 * Addresses of the fake firmware's tables; everything below LOW_BYTES is RAM, except for the hole.
 */
#define LOW_BYTES 0x10000000ull
#define HOLE_AT   0x0a0000ull
#define TRAPS_AT  0x100000ull /* a `ret` for each service */
#define START_AT  0x102000ull /* what enters the image */
#define RETURN_AT 0x102800ull /* where the image returns to */
#define TABLES_AT 0x104000ull
#define ROOT_AT   0x110000ull /* page tables */
#define STACK_AT  0x120000ull
#define STACK_END 0x140000ull
#define IMAGE_AT  0x400000ull

/* Text that grows. */
struct text_buffer {
	FILE *to;
	char *text;
	size_t bytes;
};

struct full_system;

/* Ports, what reads them and what writes them; NULL: nothing does. The latest added counts. */
struct port_range {
	uint16_t first, last;
	uint32_t (*in)(struct full_system *, uint32_t port);
	void (*out)(struct full_system *, uint32_t port, uint32_t value);
};

#define PORT_RANGES 24

/* The 8254's channel 2 and the two ports that text leaves by. */
struct ports {
	struct port_range range[PORT_RANGES];
	unsigned n;
	uint8_t line, scratch; /* of COM1 */
	uint16_t divisor;      /* of COM1 */
	uint32_t pci_address;
	uint64_t started; /* TSC when channel 2 was loaded */
	uint16_t latched;
	bool high; /* the next byte read is the latch's high one */
};

#define MSRS 64

#define EFI_PATH       64
#define EFI_FILES_MOST 12

/* A file of the boot volume. */
struct efi_file {
	char path[EFI_PATH]; /* empty: unused */
	uint8_t *data;
	size_t bytes, position;
	size_t flushed; /* bytes that are on the medium: the others are gone with this start */
	bool open;
};

#define VARIABLES      48
#define VARIABLE_NAME  40         /* characters */
#define STORE_BYTES    0x10000ull /* as a rule */
#define VARIABLE_BYTES 60         /* that a variable takes beside its name and data, as in EDK II */

/* A non-volatile variable. */
struct efi_variable {
	uint16_t name[VARIABLE_NAME]; /* empty: unused */
	uint8_t guid[16];
	uint32_t attributes;
	uint8_t *data;
	size_t bytes;
};

/* State that survives a reset. */
struct kept_over_reset {
	struct efi_file file[EFI_FILES_MOST];
	struct efi_variable variable[VARIABLES];
	unsigned starts;      /* of the image, before this one */
	uint64_t store_bytes; /* of variables */
	uint64_t lost_bytes;  /* of them, that deleted variables took and that do not come back */
};

/* Values of the APIC's registers, by their offset / 16. */
#define APIC_REGISTERS 0x40

/* Events that a performance counter may count: those of the model, and a few for plain C. */
enum counter_event {
	COUNTED_NOTHING,
	COUNTED_CYCLES,
	COUNTED_INSTRUCTIONS,
	COUNTED_MISPREDICTS,
	COUNTED_SMIS
};

struct msr {
	uint32_t number;
	uint64_t value;
	bool constant;
	enum counter_event counts; /* a counter: since there were `since` of them, beyond `value` */
	uint64_t since;
	uint64_t (*read)(struct full_system *, struct msr *); /* NULL: the value */
	/* false: refused, the processor raises #GP; NULL: the value is kept */
	bool (*write)(struct full_system *, struct msr *, uint64_t value);
};

/* Arguments as the Microsoft ABI passes them; returns an EFI status. */
#define EFI_ARGS   10
#define EFI_TABLES 8
#define EFI_SLOTS  128
typedef uint64_t efi_service_fn(struct full_system *, const uint64_t a[EFI_ARGS]);

typedef void cpuid_filter_fn(struct full_system *, uint32_t leaf, uint32_t subleaf, struct cpuid *);
#define CPUID_FILTERS 8

struct full_system {
	const struct request *request;
	const struct cpu *cpu;
	struct model model;
	struct emulator timed;
	uc_engine *uc; /* plain C */
	struct ram ram;
	struct memmap map;
	struct section text, loops;
	uint64_t image_bytes, entry;
	uint64_t root;       /* CR3 at the last call of a loop */
	bool tables_changed; /* since then */
	uint64_t pending_ns; /* passed, but not yet in the model */
	struct {
		uint64_t instructions, mispredicts;
	} plain; /* that counters have, beside the model's */
	struct msr msrs[MSRS];
	unsigned nmsrs;
	cpuid_filter_fn *cpuid_filter[CPUID_FILTERS];
	unsigned cpuid_filters;
	struct ports ports;
	uint64_t (*hpet_read)(struct full_system *, uint64_t offset);
	uint32_t apic[APIC_REGISTERS];
	uint64_t deadline; /* of the boot processor's TSC; 0: its timer will not be due */
	efi_service_fn *service[EFI_TABLES][EFI_SLOTS];
	bool refuses_xcr0; /* XSETBV faults */
	bool raised;       /* the service called did not return: an exception was raised */
	void (*in_loop)(struct full_system *); /* looks at the machine when a loop is called */
	/* Raises an exception instead of a loop at this address; false: it does not. */
	bool (*refuses)(struct full_system *, uint64_t loop);
	void (*at_end)(struct full_system *); /* and when the start has ended */
	struct text_buffer said, results;
	struct kept_over_reset kept;
	struct other_cpus *others; /* the other processors */
	struct display *display;   /* NULL: there is none */
	bool output;               /* something was said, stored or drawn since a loop ran */
	uint64_t waited_ns;        /* by PAUSE, since a loop ran or something was said */
	unsigned exits;            /* calls of ExitBootServices with the right key */
	bool boot_watchdog; /* its timer of five minutes resets the machine: nobody set it since */
	char end[64];       /* how this start ended; empty: it has not */
	char wrong[128];    /* the first thing that the image must not do; empty: none */
	uint64_t remarks_nothing; /* blocks of plain C since the image last said something */
};

/* Runs the image and writes its result; 0, 1 when a proof failed. Anything else ends the program.
 */
int full_system_run(const struct request *, const struct cpu *, FILE *out);

/* --- between its parts --- */
void unicorn_check(uc_err, const char *what);
uint64_t register_of(uc_engine *, int id);
void system_hook(struct full_system *, int type, void *callback, uint64_t from, uint64_t to);
/* Time that plain C, a service or a port takes. */
void system_pass_time(struct full_system *, uint64_t ns);
/* The time stamp counter now. */
uint64_t system_tsc(struct full_system *);
/* A Unicorn of plain C for another processor, in w->uc; it may execute the page below 1 MiB. */
void system_attach(struct full_system *, uint64_t page);
/* Gives both Unicorns the memory from 4 GiB on. */
void system_share_high(struct full_system *);
/* This start of the image ends, by what is said. */
void system_end(struct full_system *, const char *how);
/* Notes that the image did what it must not do: the run is wrong, whatever comes out. */
void system_wrong(struct full_system *, const char *what);
/* The image said or stored something. */
void system_progress(struct full_system *);
/*
 * Returns true if the page tables in force allow the access; if they do not, raises the page fault.
 */
enum cpu_access { TO_READ = 0, TO_WRITE = 2, TO_EXECUTE = 16 };
bool system_touch(struct full_system *, uint64_t address, enum cpu_access);
/* Delivers an exception at the instruction that is about to run. Without a gate: the reset of a
 * triple fault. */
#define GENERAL_PROTECTION 13
void system_raise(struct full_system *, unsigned vector, uint64_t error);
void system_faults_init(struct full_system *);

/* The processor: control and model-specific registers, CPUID, TSC; page tables to start with. */
void system_cpu_init(struct full_system *);
/* The same for another processor's Unicorn, whose code in `page` is looked at as .text is. */
void system_cpu_attach(struct full_system *, uint64_t page);
/* The register of that number; NULL: there is none. */
struct msr *system_msr(struct full_system *, uint32_t number);
/* Adds a register, or changes the one that is there. */
struct msr *system_add_msr(struct full_system *, uint32_t number, uint64_t value, bool constant);
/* Let this function change the answers of CPUID. */
void system_filter_cpuid(struct full_system *, cpuid_filter_fn *);
/* The performance counters that the machine states. */
void system_counters_init(struct full_system *);
/* Returns true if EFER allows pages without execution. */
bool system_no_execute(const struct full_system *);
/* Ports. */
void system_ports_init(struct full_system *);
void system_add_port(struct full_system *, struct port_range);
/* The range that a port belongs to; NULL: none. */
const struct port_range *system_port(struct full_system *, uint32_t port);
/* The 8254's channel 2 and the serial line. */
enum { TIMER_DATA = 0x42, TIMER_CONTROL = 0x43, TIMER_GATE = 0x61, COM1 = 0x3f8, DEBUG = 0x402 };
/* COM1's registers; of DATA and the next one, the divisor where LINE has that bit. */
enum { DATA = 0, DIVISOR_HIGH = 1, LINE = 3, STATUS = 5, SCRATCH = 7, DIVISOR_LATCH = 0x80 };
/* HPET, the ACPI timer, and where resets are asked for. */
void system_timers_init(struct full_system *);
void system_apic_init(struct full_system *);
/* A register of the local APIC, by its offset / 16, whatever mode that is in. */
uint32_t system_apic_register(struct full_system *, unsigned n);
/*
 * The boot processor waits, with interrupts on, and its timer will be due: time passes until then,
 * and the interrupt is taken; `more` ns later than one that executes. It will go on at an address.
 * false: it will not be due.
 */
bool system_timer_due(struct full_system *, uint64_t address, uint64_t more);
/* The local APIC's registers in memory, for the Unicorn in w->uc. */
void system_apic_attach(struct full_system *);
/* A write into the interrupt command register in x2APIC mode, as struct msr has it. */
/* A write to a register of the APIC in its x2 mode, whose MSR is m. */
bool system_apic_write(struct full_system *, struct msr *, uint64_t value);
/*
 * Set the APIC's registers as INIT does (SDM vol. 3A, 11.4.7.3): it is off, and its vectors are
 * masked.
 */
void system_apic_reset(struct full_system *);
bool system_apic_command(struct full_system *, struct msr *, uint64_t value);
/* Free the memory of the boot volume and of the variables. */
void kept_free(struct kept_over_reset *);
/* Bytes of the store that are free. */
uint64_t variables_left(const struct kept_over_reset *);
/* Bytes that the variable takes that a service is called with; 0: there is none. */
uint64_t variable_bytes(struct full_system *, const uint64_t a[EFI_ARGS]);
/* All variables are gone. */
void variables_forget(struct kept_over_reset *);
/* Returns true if the next start must enter the firmware's setup. */
bool variables_want_setup(struct kept_over_reset *);
/* Calls from plain C into section .loops, which the other Unicorn runs. */
void system_loops_init(struct full_system *);
/* Returns the address of a loop in the image. */
uint64_t system_loop(const struct full_system *, loop_fn *);
/* The firmware's tables and services. */
void efi_open(struct full_system *);
/*
 * End the program unless the image, which returned, has restored the registers that it must keep.
 */
void efi_expect_kept(const struct full_system *);

#endif
