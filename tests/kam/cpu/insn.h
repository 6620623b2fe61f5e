/* SPDX-License-Identifier: MIT */
/* An instruction as the timing model sees it: what it needs, what it makes, how long it takes. */
#ifndef TESTS_KAM_CPU_INSN_H
#define TESTS_KAM_CPU_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,         /* loads, computes, stores: any of them */
	INSN_BRANCH,        /* conditional, direct */
	INSN_JUMP,          /* direct */
	INSN_JUMP_INDIRECT, /* indirect: the target comes from a register or from memory */
	INSN_CALL,
	INSN_CALL_INDIRECT,
	INSN_RETURN,
	INSN_RDTSC,
	INSN_RDTSCP,
	INSN_CPUID,
	INSN_LFENCE,
	INSN_MFENCE,
	INSN_SFENCE,
	INSN_FLUSH, /* clflush */
	INSN_PREFETCH,
	INSN_STREAM, /* non-temporal store */
	INSN_SERIAL, /* waits for all before it, and holds back all after it */
	INSN_LOCKED, /* likewise, of memory; others go on meanwhile */
};

/* The latency of an instruction, by name: the machine's file says how many cycles that is. */
enum insn_cost {
	COST_NONE, /* nothing to compute: a plain load or store, or done at rename */
	COST_ONE,  /* one cycle, as the next four, which not every unit may do */
	COST_SHIFT,
	COST_LEA,
	COST_BRANCH,
	COST_VECTOR,
	COST_MULTIPLY,
	COST_DIVIDE,
	COST_FP_ADD,
	COST_FP_MULTIPLY,
	COST_CR3, /* privileged ones, and verw */
	COST_INVLPG,
	COST_RDMSR,
	COST_WRMSR,
	COST_STI,
	COST_CLI,
	COST_SWAPGS,
	COST_VERW,
	COST_PORT_IN,
	COST_PORT_OUT,
	COST_LGDT,
	COST_WBINVD,    /* and more for each line that is written back */
	COST_INTERRUPT, /* these four go elsewhere: tests/kam/run/system_insns.c */
	COST_IRET,
	COST_SYSCALL,
	COST_SYSRET,
	COST_XSAVE, /* and these are done there, too */
	COST_XSAVEOPT,
	COST_XSAVEC,
	COST_XRSTOR,
	COST_LOCK_ADD, /* locked ones */
	COST_LOCK_XADD,
	COST_CAS,
	COST_XCHG,
	COSTS
};

/* Bits of register masks. */
#define REG_BIT(n)    (1ull << (n))
#define REG_VECTOR(n) (1ull << (16 + (n)))
#define REG_FLAGS     (1ull << 32)
#define REG_NONE      (1ull << 33) /* always ready */
#define REG_NOWHERE   (1ull << 34) /* written and never read */
#define REGS          35

struct insn {
	uint64_t address;
	uint64_t sources, results; /* masks; sources without those of the address */
	uint64_t address_sources;
	enum insn_kind kind;
	enum insn_cost cost;
	uint64_t place; /* of what it accesses: register and displacement; 0: another kind */
	uint16_t load_bytes, store_bytes; /* 0: none */
	uint8_t bytes;
	bool indexed; /* the address has an index register */
	bool small;   /* register = register + small constant */
	bool copies;  /* register = whole register */
	bool hard;    /* its length is hard to tell: a prefix changes it */
};

/* The instruction's accesses to memory and its successor. */
struct insn_run {
	uint64_t load, store; /* addresses; clflush, prefetch and invlpg use `load` */
	uint64_t next;        /* address of the instruction that ran after it */
};

#endif
