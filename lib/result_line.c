/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"

/* Returns the place after the string that begins at p; NULL: the string does not end. */
static const char *skip_string(const char *p, const char *end)
{
	if (p == end || *p++ != '"')
		return NULL;
	for (; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p + 1 : NULL;
}

/* Returns the place after the array or object that begins at p. */
static const char *skip_nested(const char *p, const char *end)
{
	unsigned depth = 0;

	while (p < end) {
		if (*p == '"') {
			p = skip_string(p, end);
			if (!p)
				return NULL;
			continue;
		}
		depth += *p == '[' || *p == '{';
		depth -= *p == ']' || *p == '}';
		p++;
		if (!depth)
			return p;
	}
	return NULL;
}

static const char *skip_value(const char *p, const char *end)
{
	const char *start = p;

	if (p < end && *p == '"')
		return skip_string(p, end);
	if (p < end && (*p == '[' || *p == '{'))
		return skip_nested(p, end);
	while (p < end && *p != ',' && *p != '}' && *p != ']')
		p++;
	return p > start && p < end ? p : NULL;
}

static bool at_close(const char *p, const char *end)
{
	return p + 1 == end || (p + 2 == end && p[1] == '\n');
}

bool member_next(const char **at, const char *end, struct member *out)
{
	const char *p = *at, *key_end;

	if (p < end && *p == '}' && at_close(p, end))
		*at = end;
	if (*at == end || (*p != '{' && *p != ','))
		return false;
	if (*p == '{' && p + 1 < end && p[1] == '}' && at_close(p + 1, end)) {
		*at = end;
		return false;
	}
	key_end = skip_string(++p, end);
	if (!key_end || key_end == end || *key_end != ':')
		return false;
	out->key = p + 1;
	out->key_bytes = (size_t)(key_end - p) - 2;
	out->value = key_end + 1;
	p = skip_value(out->value, end);
	if (!p || p == end) /* the line is cut */
		return false;
	out->value_bytes = (size_t)(p - out->value);
	*at = p;
	return true;
}

bool element_next(const char **at, const char *end, struct member *out)
{
	const char *p = *at;

	if (p == end || (*p != '[' && *p != ','))
		return false;
	*out = (struct member){ .value = p + 1 };
	p = skip_value(out->value, end);
	if (!p)
		return false;
	out->value_bytes = (size_t)(p - out->value);
	*at = p;
	return true;
}

bool member_is(const struct member *m, const char *key)
{
	return m->key_bytes == strlen(key) && memcmp(m->key, key, m->key_bytes) == 0;
}

/* Returns true if the value is that string. */
static bool equals(const struct member *m, const char *string)
{
	size_t n = strlen(string);

	return m->value_bytes == n + 2 && m->value[0] == '"' &&
		memcmp(m->value + 1, string, n) == 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read the digits of [p, end); each digit behind a point counts *power down. */
static const char *read_digits(const char *p, const char *end, double *value, int *power)
{
	bool fraction = false;

	for (*value = 0, *power = 0; p < end && (is_digit(*p) || (*p == '.' && !fraction)); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		*value = *value * 10 + (*p - '0');
		*power -= fraction;
	}
	return p;
}

/* The exponent at p; 0 if there is none. */
static int read_exponent(const char *p, const char *end)
{
	int exponent = 0, sign = 1;

	if (p == end || (*p | 32) != 'e')
		return 0;
	p++;
	if (p < end && (*p == '-' || *p == '+'))
		sign = *p++ == '-' ? -1 : 1;
	for (; p < end && is_digit(*p) && exponent < 400; p++)
		exponent = exponent * 10 + (*p - '0');
	return sign * exponent;
}

/* value * 10^power, by powers of ten that a double holds exactly. */
static double scale(double value, int power)
{
	while (power) {
		int step = power < 0 ? -power : power;
		double ten = 1;

		if (step > 22)
			step = 22;
		for (int i = 0; i < step; i++)
			ten *= 10;
		value = power < 0 ? value / ten : value * ten;
		power += power < 0 ? step : -step;
	}
	return value;
}

double member_number(const struct member *m)
{
	const char *p = m->value, *end = p + m->value_bytes;
	bool negative = p < end && *p == '-';
	double value;
	int power;

	p += negative;
	if (p == end || !is_digit(*p))
		return NOT_A_NUMBER;
	p = read_digits(p, end, &value, &power);
	value = scale(value, power + read_exponent(p, end));
	return negative ? -value : value;
}

bool member_text(const struct member *m, char *out, size_t bytes)
{
	size_t n = 0;

	*out = 0;
	if (m->value_bytes < 2 || m->value[0] != '"')
		return false;
	for (size_t i = 1; i + 1 < m->value_bytes && n + 1 < bytes; i++) {
		if (m->value[i] == '\\' && i + 2 < m->value_bytes)
			i++;
		out[n++] = m->value[i];
	}
	out[n] = 0;
	return true;
}

bool line_next(const char **at, const char *end, struct line *out)
{
	const char *p = *at;

	if (p == end)
		return false;
	while (p < end && *p != '\n')
		p++;
	*out = (struct line){ *at, (size_t)(p - *at) };
	*at = p + (p < end);
	return true;
}

struct line line_last(const char *text, size_t n)
{
	struct line line = { NULL, 0 };

	for (const char *end = text + n; line_next(&text, end, &line);)
		;
	return line;
}

bool line_find(struct line line, const char *key, struct member *out)
{
	const char *at = line.text, *end = at + line.n;

	while (at && member_next(&at, end, out))
		if (member_is(out, key))
			return true;
	return false;
}

enum line_kind line_kind(struct line line)
{
	static const char *const kinds[] = { [LINE_RUN] = KIND_RUN,
		[LINE_ROW] = KIND_ROW,
		[LINE_SKIP] = KIND_SKIP,
		[LINE_SUMMARY] = KIND_SUMMARY,
		[LINE_END] = KIND_END };
	enum line_kind kind = LINE_RUN;
	struct member m;

	if (!line_find(line, KEY_KIND, &m))
		return LINE_OTHER;
	while (kind < LINE_OTHER && !equals(&m, kinds[kind]))
		kind++;
	return kind;
}

double line_number(struct line line, const char *key)
{
	struct member m;

	return line_find(line, key, &m) ? member_number(&m) : NOT_A_NUMBER;
}

bool line_string(struct line line, const char *key, char *out, size_t bytes)
{
	struct member m;

	*out = 0;
	return line_find(line, key, &m) && member_text(&m, out, bytes);
}

struct line line_object(struct line line, const char *key)
{
	struct member m;

	if (!line_find(line, key, &m) || *m.value != '{')
		return (struct line){ NULL, 0 };
	return (struct line){ m.value, m.value_bytes };
}

bool line_is(struct line line, const char *key, const char *value)
{
	struct member m;

	return line_find(line, key, &m) &&
		(equals(&m, value) ||
			(m.value_bytes == strlen(value) && !memcmp(m.value, value, m.value_bytes)));
}

bool line_same(struct line a, struct line b, const char *key)
{
	struct member in_a = { 0 }, in_b = { 0 };
	bool has_a = line_find(a, key, &in_a), has_b = line_find(b, key, &in_b);

	if (!has_a || !has_b)
		return has_a == has_b;
	return in_a.value_bytes == in_b.value_bytes &&
		!memcmp(in_a.value, in_b.value, in_a.value_bytes);
}

const char *const row_statistics[] = {
#define STATISTIC(name, when) #name,
#include "lib/row_statistics.inc"
#undef STATISTIC
	NULL
};

static size_t count(const struct member *array)
{
	const char *at = array->value, *end = at + array->value_bytes;
	struct member element;
	size_t n = 0;

	while (element_next(&at, end, &element))
		n++;
	return n;
}

static void read_parameters(struct result_row *row, const struct member *object,
	const char *(*word)(void *of, const struct member *), void *of)
{
	const char *at = object->value, *end = at + object->value_bytes;
	struct member m;

	while (row->nparams < RESULT_PARAMETERS && member_next(&at, end, &m)) {
		/* A key is a string, so its quotes are around it. */
		struct member key = { .value = m.key - 1, .value_bytes = m.key_bytes + 2 };
		double value = member_number(&m);
		size_t i = row->nparams;

		if (!math_finite(value))
			continue;
		const char *name = word(of, &key);

		for (row->nparams++; i && strcmp(row->params[i - 1].name, name) > 0; i--)
			row->params[i] = row->params[i - 1];
		row->params[i] = (struct result_parameter){ name, value };
	}
}

void result_row_read(struct result_row *row, struct line line,
	const char *(*word)(void *of, const struct member *), void *of)
{
	const struct {
		const char *key, **text;
	} words[] = { { KEY_PROBE, &row->probe }, { KEY_VARIANT, &row->variant },
		{ KEY_UNIT, &row->unit }, { KEY_LEVEL, &row->level } };
	struct member m;

	*row = (struct result_row){ .line = line, .more = line_object(line, KEY_MORE) };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		*words[i].text = line_find(line, words[i].key, &m) ? word(of, &m) : "";
	for (size_t i = 0; i < ROW_STATISTICS; i++)
		row->numbers[i] = line_number(line, row_statistics[i]);
	if (line_find(line, KEY_PARAMS, &m))
		read_parameters(row, &m, word, of);
	if (line_find(line, KEY_VALUES, &m)) {
		row->values = m;
		row->nvalues = count(&m);
	}
	row->samples = math_is_nan(row->samples) ? (double)row->nvalues : row->samples;
	row->disturbed = math_is_nan(row->disturbed) ? 0 : row->disturbed;
	row->outliers = math_is_nan(row->outliers) ? 0 : row->outliers;
}

double result_parameter(const struct result_row *row, const char *name)
{
	for (size_t i = 0; i < row->nparams; i++)
		if (!strcmp(row->params[i].name, name))
			return row->params[i].value;
	return NOT_A_NUMBER;
}

double result_number(const struct result_row *row, const char *name)
{
	double value = result_parameter(row, name);

	if (math_finite(value))
		return value;
	if (strlen(name) > 5 && !memcmp(name, "more.", 5))
		return line_number(row->more, name + 5);
	for (size_t i = 0; i < ROW_STATISTICS; i++)
		if (!strcmp(row_statistics[i], name))
			return row->numbers[i];
	return NOT_A_NUMBER;
}

/* Marks of runs that are not, or may not be, on silicon alone; the surest first. */
static const struct {
	const char *key, *value; /* value "": any that is not empty */
	const char *mark, *text;
} marks[] = { { KEY_HYPERVISOR, HYPERVISOR_SIMULATED, "SIMULATED", "SIMULATED: a stated machine" },
	{ KEY_EMULATED, "true", "EMULATED", "EMULATED: times mean nothing" },
	{ KEY_MAY_BE, "emulated", "EMULATED?", "MAY BE EMULATED" },
	{ KEY_HYPERVISOR, "", "VIRTUAL", "VIRTUAL: under a hypervisor" },
	{ KEY_MAY_BE, "virtual", "VIRTUAL?", "MAY BE VIRTUAL" } };

const char *result_mark(struct line run)
{
	char value[16];

	for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
		if (*marks[i].value ? line_is(run, marks[i].key, marks[i].value)
				    : line_string(run, marks[i].key, value, sizeof value) && *value)
			return marks[i].mark;
	return "";
}

const char *result_mark_text(const char *mark)
{
	for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strcmp(mark, marks[i].mark) == 0)
			return marks[i].text;
	return "";
}
