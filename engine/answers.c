/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/answers.h"

const struct answer_facts answers[ANSWERS] = {
#define ANSWER(symbol, profile, what)      { PROFILE_##profile, false },
#define CORE_ANSWER(symbol, profile, what) { PROFILE_##profile, true },
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
};

/* One text behind another: pointers would need more space. */
static const char texts[] =
#define ANSWER(symbol, profile, what) what "\0"
#define CORE_ANSWER                   ANSWER
#include "engine/answers.inc"
#undef CORE_ANSWER
#undef ANSWER
	;

const char *answer_text(enum answer answer)
{
	const char *text = texts;

	for (unsigned i = 0; i < answer; i++)
		text += strlen(text) + 1;
	return text;
}
