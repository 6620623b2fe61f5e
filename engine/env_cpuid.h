/* SPDX-License-Identifier: MIT */
/* CPUID of the measuring CPU. */
#ifndef ENGINE_ENV_CPUID_H
#define ENGINE_ENV_CPUID_H

#include "engine/env.h"

static inline enum cpu_vendor env_cpu_vendor(struct env *env)
{
	return cpuid_vendor(env->cpuid(env, 0, 0));
}

static inline bool env_has_leaf(struct env *env, uint32_t leaf)
{
	return cpuid_includes(env->cpuid(env, cpuid_range(leaf), 0), leaf);
}

/* Whether CPUID describes caches and TLBs as AMD defined it. */
static inline bool env_has_amd_leaves(struct env *env)
{
	enum cpu_vendor vendor = env_cpu_vendor(env);

	return vendor == VENDOR_AMD || vendor == VENDOR_HYGON;
}

#endif
