/* SPDX-License-Identifier: MIT */
/*
 * Branches: what a predicted and a mispredicted branch cost, and how much the predictor
 * remembers. The experiments (a) to (f) of docs/method.md, one file for each pair.
 */
#include "probes/probe.h"
#include "probes/branch/branch.h"

void probe_branch_plan(struct bench *b)
{
	branch_copy_plan(b);
	branch_words_plan(b);
	branch_penalty_plan(b);
	branch_pattern_plan(b);
	branch_distribution_plan(b);
	branch_code_plan(b);
}

void probe_branch_plan_edges(struct bench *b)
{
	branch_pattern_plan_edges(b);
	branch_code_plan_edges(b);
}

void probe_branch_find(struct bench *b)
{
	branch_penalty_find(b);
	branch_pattern_find(b);
	branch_code_find(b);
}

void probe_branch_meaning(struct bench *b)
{
	branch_copy_meaning(b);
	branch_words_meaning(b);
	branch_penalty_meaning(b);
	branch_pattern_meaning(b);
}
