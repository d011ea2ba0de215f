/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which CPU takes an interrupt of Apple's interrupt controller. Made by `aicprobe tables` from the
 * files under socs: change those, not this.
 */
#ifndef AICPROBE_ROUTING_H
#define AICPROBE_ROUTING_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* Who says so, the weakest first. */
enum aicprobe_standing {
	AICPROBE_INFERENCE,
	AICPROBE_THIRD_PARTY,
	AICPROBE_SILICON,
};

/* In which class a CPU takes interrupts; a class is asked where none above it takes one. */
enum aicprobe_class {
	AICPROBE_NEVER,
	AICPROBE_FALLBACK,
	AICPROBE_NORMAL,
	AICPROBE_PREFERRED,
};

/* Meaning of a value of SIQ_CFG bits [1:0]. */
struct aicprobe_value {
	enum aicprobe_class class_of;
	enum aicprobe_standing standing;
};

struct aicprobe_cpu {
	uint64_t mpidr;
	/* SIQ_CFG bits [1:0] as a kernel finds them. */
	uint8_t field;
	enum aicprobe_standing standing;
};

struct aicprobe_routing {
	const char *soc;
	/* Names in Linux device trees. SoCs may share a controller's name: match the machine or the chip id too. */
	const char *compatible;
	const char *machine;
	uint32_t chip_id;
	uint8_t aic_generation;
	/* Not better than the weakest part of the entry. */
	enum aicprobe_standing standing;
	/* On the allow-list. Do not rely on an entry that is not. */
	bool listed;
	/* Several CPUs accept: read effective affinities again when one comes online. */
	bool online_refresh;
	/* Index in cpus of the CPU that takes every interrupt; -1 = several accept. */
	int default_acceptor;
	struct aicprobe_value values[4];
	/* The boot CPU first, then in device-tree order. A machine may lack some. */
	const struct aicprobe_cpu *cpus;
	size_t nr_cpus;
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6000[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010200, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010201, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010202, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010203, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6002[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010200, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010201, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010202, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010203, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
	{ .mpidr = 0x80000800, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 10: E core */
	{ .mpidr = 0x80000801, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 11: E core */
	{ .mpidr = 0x80010900, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 12: P core */
	{ .mpidr = 0x80010901, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 13: P core */
	{ .mpidr = 0x80010902, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 14: P core */
	{ .mpidr = 0x80010903, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 15: P core */
	{ .mpidr = 0x80010a00, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 16: P core */
	{ .mpidr = 0x80010a01, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 17: P core */
	{ .mpidr = 0x80010a02, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 18: P core */
	{ .mpidr = 0x80010a03, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 19: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6020[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by device
	 * tree of J474s and Linux device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010200, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010201, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
	{ .mpidr = 0x80010202, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 10: P core */
	{ .mpidr = 0x80010203, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 11: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6022[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010200, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010201, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
	{ .mpidr = 0x80010202, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 10: P core */
	{ .mpidr = 0x80010203, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 11: P core */
	{ .mpidr = 0x80000800, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 12: E core */
	{ .mpidr = 0x80000801, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 13: E core */
	{ .mpidr = 0x80000802, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 14: E core */
	{ .mpidr = 0x80000803, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 15: E core */
	{ .mpidr = 0x80010900, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 16: P core */
	{ .mpidr = 0x80010901, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 17: P core */
	{ .mpidr = 0x80010902, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 18: P core */
	{ .mpidr = 0x80010903, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 19: P core */
	{ .mpidr = 0x80010a00, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 20: P core */
	{ .mpidr = 0x80010a01, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 21: P core */
	{ .mpidr = 0x80010a02, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 22: P core */
	{ .mpidr = 0x80010a03, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 23: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6030[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: E core */
	{ .mpidr = 0x80000004, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: E core */
	{ .mpidr = 0x80000005, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: E core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
	{ .mpidr = 0x80010104, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 10: P core */
	{ .mpidr = 0x80010105, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 11: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6031[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: E core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
	{ .mpidr = 0x80010104, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 8: P core */
	{ .mpidr = 0x80010105, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 9: P core */
	{ .mpidr = 0x80010200, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 10: P core */
	{ .mpidr = 0x80010201, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 11: P core */
	{ .mpidr = 0x80010202, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 12: P core */
	{ .mpidr = 0x80010203, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 13: P core */
	{ .mpidr = 0x80010204, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 14: P core */
	{ .mpidr = 0x80010205, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 15: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t6040[] = {
	/* inference: field as found on T8140; MPIDR and boot CPU by loader log of J614s (third party) */
	{ .mpidr = 0x80010100, .field = 0, .standing = AICPROBE_INFERENCE }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 3, .standing = AICPROBE_INFERENCE }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 3, .standing = AICPROBE_INFERENCE }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 3, .standing = AICPROBE_INFERENCE }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 3, .standing = AICPROBE_INFERENCE }, /* 4: E core */
	{ .mpidr = 0x80010101, .field = 3, .standing = AICPROBE_INFERENCE }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 3, .standing = AICPROBE_INFERENCE }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 3, .standing = AICPROBE_INFERENCE }, /* 7: P core */
	{ .mpidr = 0x80010104, .field = 3, .standing = AICPROBE_INFERENCE }, /* 8: P core */
	{ .mpidr = 0x80010200, .field = 3, .standing = AICPROBE_INFERENCE }, /* 9: P core */
	{ .mpidr = 0x80010201, .field = 3, .standing = AICPROBE_INFERENCE }, /* 10: P core */
	{ .mpidr = 0x80010202, .field = 3, .standing = AICPROBE_INFERENCE }, /* 11: P core */
	{ .mpidr = 0x80010203, .field = 3, .standing = AICPROBE_INFERENCE }, /* 12: P core */
	{ .mpidr = 0x80010204, .field = 3, .standing = AICPROBE_INFERENCE }, /* 13: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8103[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8112[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: E core, boot CPU */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: P core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8122[] = {
	/*
	 * third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux
	 * device trees
	 */
	{ .mpidr = 0x80010100, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 4: E core */
	{ .mpidr = 0x80010101, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 5: P core */
	{ .mpidr = 0x80010102, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 6: P core */
	{ .mpidr = 0x80010103, .field = 2, .standing = AICPROBE_THIRD_PARTY }, /* 7: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8132[] = {
	/*
	 * inference: field as found on T8140; MPIDR and boot CPU by device tree of the Mac mini M4 (third
	 * party)
	 */
	{ .mpidr = 0x80010100, .field = 0, .standing = AICPROBE_INFERENCE }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 3, .standing = AICPROBE_INFERENCE }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 3, .standing = AICPROBE_INFERENCE }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 3, .standing = AICPROBE_INFERENCE }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 3, .standing = AICPROBE_INFERENCE }, /* 4: E core */
	{ .mpidr = 0x80000004, .field = 3, .standing = AICPROBE_INFERENCE }, /* 5: E core */
	{ .mpidr = 0x80000005, .field = 3, .standing = AICPROBE_INFERENCE }, /* 6: E core */
	{ .mpidr = 0x80010101, .field = 3, .standing = AICPROBE_INFERENCE }, /* 7: P core */
	{ .mpidr = 0x80010102, .field = 3, .standing = AICPROBE_INFERENCE }, /* 8: P core */
	{ .mpidr = 0x80010103, .field = 3, .standing = AICPROBE_INFERENCE }, /* 9: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8140[] = {
	/* silicon: PR #228 (field; boot CPU is cpu@10100) */
	{ .mpidr = 0x80010100, .field = 0, .standing = AICPROBE_SILICON }, /* 0: P core, boot CPU */
	/* silicon: PR #228 (field); MPIDR by the Linux device tree (third party) */
	{ .mpidr = 0x80000000, .field = 3, .standing = AICPROBE_SILICON }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 3, .standing = AICPROBE_SILICON }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 3, .standing = AICPROBE_SILICON }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 3, .standing = AICPROBE_SILICON }, /* 4: E core */
	{ .mpidr = 0x80010101, .field = 3, .standing = AICPROBE_SILICON }, /* 5: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8142[] = {
	/* inference: field as found on T8140; MPIDR and boot CPU by notes on the MacBook Pro M5 (third party) */
	{ .mpidr = 0x80010100, .field = 0, .standing = AICPROBE_INFERENCE }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 3, .standing = AICPROBE_INFERENCE }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 3, .standing = AICPROBE_INFERENCE }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 3, .standing = AICPROBE_INFERENCE }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 3, .standing = AICPROBE_INFERENCE }, /* 4: E core */
	{ .mpidr = 0x80000004, .field = 3, .standing = AICPROBE_INFERENCE }, /* 5: E core */
	{ .mpidr = 0x80000005, .field = 3, .standing = AICPROBE_INFERENCE }, /* 6: E core */
	{ .mpidr = 0x80010101, .field = 3, .standing = AICPROBE_INFERENCE }, /* 7: P core */
	{ .mpidr = 0x80010102, .field = 3, .standing = AICPROBE_INFERENCE }, /* 8: P core */
	{ .mpidr = 0x80010103, .field = 3, .standing = AICPROBE_INFERENCE }, /* 9: P core */
};

__attribute__((unused))
static const struct aicprobe_cpu aicprobe_cpus_t8152[] = {
	/* inference: field as found on T8140; MPIDR and boot CPU by notes on J873g (third party) */
	{ .mpidr = 0x80010100, .field = 0, .standing = AICPROBE_INFERENCE }, /* 0: P core, boot CPU */
	{ .mpidr = 0x80000000, .field = 3, .standing = AICPROBE_INFERENCE }, /* 1: E core */
	{ .mpidr = 0x80000001, .field = 3, .standing = AICPROBE_INFERENCE }, /* 2: E core */
	{ .mpidr = 0x80000002, .field = 3, .standing = AICPROBE_INFERENCE }, /* 3: E core */
	{ .mpidr = 0x80000003, .field = 3, .standing = AICPROBE_INFERENCE }, /* 4: E core */
	{ .mpidr = 0x80000004, .field = 3, .standing = AICPROBE_INFERENCE }, /* 5: E core */
	{ .mpidr = 0x80000005, .field = 3, .standing = AICPROBE_INFERENCE }, /* 6: E core */
	{ .mpidr = 0x80010101, .field = 3, .standing = AICPROBE_INFERENCE }, /* 7: P core */
	{ .mpidr = 0x80040102, .field = 3, .standing = AICPROBE_INFERENCE }, /* 8: M core */
	{ .mpidr = 0x80040103, .field = 3, .standing = AICPROBE_INFERENCE }, /* 9: M core */
	{ .mpidr = 0x80040104, .field = 3, .standing = AICPROBE_INFERENCE }, /* 10: M core */
	{ .mpidr = 0x80040105, .field = 3, .standing = AICPROBE_INFERENCE }, /* 11: M core */
};

__attribute__((unused))
static const struct aicprobe_routing aicprobe_routing[] = {
	/*
	 * T6000 (M1 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree (place); kernel log of T6000 (1806 of 4096 lines)
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6000",
		.compatible = "apple,t6000-aic",
		.machine = "apple,t6000",
		.chip_id = 0x6000,
		.aic_generation = 2,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/*
			 * third party: the loader wrote it in 2021 to get interrupts, and left it because of trouble with
			 * interrupts taken at EL1
			 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_THIRD_PARTY },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* third party: no interrupts at all until the loader wrote another value */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_THIRD_PARTY },
		},
		.cpus = aicprobe_cpus_t6000,
		.nr_cpus = sizeof(aicprobe_cpus_t6000) / sizeof(aicprobe_cpus_t6000[0]),
	},
	/*
	 * T6002 (M1 Ultra). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published for this
	 * SoC
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6002",
		.compatible = "apple,t6000-aic",
		.machine = "apple,t6002",
		.chip_id = 0x6002,
		.aic_generation = 2,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/*
			 * third party: the loader wrote it in 2021 to get interrupts, and left it because of trouble with
			 * interrupts taken at EL1
			 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_THIRD_PARTY },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* third party: no interrupts at all until the loader wrote another value */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_THIRD_PARTY },
		},
		.cpus = aicprobe_cpus_t6002,
		.nr_cpus = sizeof(aicprobe_cpus_t6002) / sizeof(aicprobe_cpus_t6002[0]),
	},
	/*
	 * T6020 (M2 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree (place); loader log (1961 of 4096 lines)
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6020",
		.compatible = "apple,t6020-aic",
		.machine = "apple,t6020",
		.chip_id = 0x6020,
		.aic_generation = 2,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t6020,
		.nr_cpus = sizeof(aicprobe_cpus_t6020) / sizeof(aicprobe_cpus_t6020[0]),
	},
	/*
	 * T6022 (M2 Ultra). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published for this
	 * SoC
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6022",
		.compatible = "apple,t6020-aic",
		.machine = "apple,t6022",
		.chip_id = 0x6022,
		.aic_generation = 2,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t6022,
		.nr_cpus = sizeof(aicprobe_cpus_t6022) / sizeof(aicprobe_cpus_t6022[0]),
	},
	/*
	 * T6030 (M3 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6030",
		.compatible = "apple,t6030-aic3",
		.machine = "apple,t6030",
		.chip_id = 0x6030,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t6030,
		.nr_cpus = sizeof(aicprobe_cpus_t6030) / sizeof(aicprobe_cpus_t6030[0]),
	},
	/*
	 * T6031 (M3 Max). inference: the loader leaves 2 on every CPU that it starts (third party), and
	 * interrupts are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6031",
		.compatible = "apple,t6031-aic3",
		.machine = "apple,t6031",
		.chip_id = 0x6031,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t6031,
		.nr_cpus = sizeof(aicprobe_cpus_t6031) / sizeof(aicprobe_cpus_t6031[0]),
	},
	/*
	 * T6040 (M4 Pro). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to
	 * be as found on T8140
	 * Controller: third party: Linux device tree; how many lines there are has not been published
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T6040",
		.compatible = "apple,t6040-aic3",
		.machine = "apple,t6040",
		.chip_id = 0x6040,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = false,
		.default_acceptor = 0,
		.values = {
			/* inference: as measured on T8140 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t6040,
		.nr_cpus = sizeof(aicprobe_cpus_t6040) / sizeof(aicprobe_cpus_t6040[0]),
	},
	/*
	 * T8103 (M1). inference: M1 reads 3 on every CPU and its interrupts work: TARGET_CPU of each line
	 * decides, and any CPU may be named
	 * Controller: third party: register dump of the Asahi developer quick start (lines); one die by the
	 * driver
	 * Allow-list: not listed: AICv1: SIQ_CFG is taken to have no effect, and nobody has measured it
	 */
	{
		.soc = "T8103",
		.compatible = "apple,t8103-aic",
		.machine = "apple,t8103",
		.chip_id = 0x8103,
		.aic_generation = 1,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: AICv1 goes by TARGET_CPU of the line: the field does not matter */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: AICv1 goes by TARGET_CPU of the line: the field does not matter */
			[1] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: AICv1 goes by TARGET_CPU of the line: the field does not matter */
			[2] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: M1 reads 3 on every CPU before a loader writes it, and its interrupts work */
			[3] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8103,
		.nr_cpus = sizeof(aicprobe_cpus_t8103) / sizeof(aicprobe_cpus_t8103[0]),
	},
	/*
	 * T8112 (M2). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts
	 * are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T8112",
		.compatible = "apple,t8112-aic",
		.machine = "apple,t8112",
		.chip_id = 0x8112,
		.aic_generation = 2,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8112,
		.nr_cpus = sizeof(aicprobe_cpus_t8112) / sizeof(aicprobe_cpus_t8112[0]),
	},
	/*
	 * T8122 (M3). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts
	 * are seen on several CPUs; which of them takes one is not known
	 * Controller: third party: Linux device tree; how many lines there are has not been published
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T8122",
		.compatible = "apple,t8122-aic3",
		.machine = "apple,t8122",
		.chip_id = 0x8122,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = true,
		.default_acceptor = -1,
		.values = {
			/* inference: as on T6000 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; nobody has tried it here */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/*
			 * inference: that it accepts is third party (the loader writes it); that it gives way to 0 was
			 * measured on T8140 only
			 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as on T6000 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8122,
		.nr_cpus = sizeof(aicprobe_cpus_t8122) / sizeof(aicprobe_cpus_t8122[0]),
	},
	/*
	 * T8132 (M4). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be
	 * as found on T8140
	 * Controller: third party: Linux device tree (place); kernel log of J713 (2048 of 4096 lines)
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T8132",
		.compatible = "apple,t8132-aic3",
		.machine = "apple,t8132",
		.chip_id = 0x8132,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = false,
		.default_acceptor = 0,
		.values = {
			/* inference: as measured on T8140 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140; macOS writes it before it switches a core off (notes) */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8132,
		.nr_cpus = sizeof(aicprobe_cpus_t8132) / sizeof(aicprobe_cpus_t8132[0]),
	},
	/*
	 * T8140 (A18 Pro). silicon: PR #228 of a Linux tree for the A18 Pro (October 2026): one spare line, 32
	 * triggers from each of 6 CPUs, all on CPU 0
	 * Controller: third party: Linux device tree (place); notes on J700 (1504 of 4096 lines)
	 * Allow-list: listed: measured and boot-tested on hardware by the authors of PR #228; no run of
	 * aicprobe has repeated it yet
	 * publication: PR #228 of a Linux tree for the A18 Pro: report the effective affinity of AICv2+ IRQs
	 * (J700, 2026-10, 0 of 192 triggers missed)
	 */
	{
		.soc = "T8140",
		.compatible = "apple,t8140-aic3",
		.machine = "apple,t8140",
		.chip_id = 0x8140,
		.aic_generation = 3,
		.standing = AICPROBE_SILICON,
		.listed = true,
		.online_refresh = false,
		.default_acceptor = 0,
		.values = {
			/* silicon: PR #228: the boot CPU reads 0 and takes every interrupt */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_SILICON },
			/* silicon: PR #228: a secondary at 1 takes them while the boot CPU is at 0 */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_SILICON },
			/* silicon: PR #228: a secondary at 2 takes over while the boot CPU masks IRQs */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_SILICON },
			/* silicon: PR #228: secondaries at 3 take none, also while the boot CPU masks IRQs for 35 ms */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_SILICON },
		},
		.cpus = aicprobe_cpus_t8140,
		.nr_cpus = sizeof(aicprobe_cpus_t8140) / sizeof(aicprobe_cpus_t8140[0]),
	},
	/*
	 * T8142 (M5). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be
	 * as found on T8140
	 * Controller: third party: Linux device tree (place); loader log (2400 of 4096 lines)
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T8142",
		.compatible = "apple,t8142-aic3",
		.machine = "apple,t8142",
		.chip_id = 0x8142,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = false,
		.default_acceptor = 0,
		.values = {
			/* inference: as measured on T8140 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8142,
		.nr_cpus = sizeof(aicprobe_cpus_t8142) / sizeof(aicprobe_cpus_t8142[0]),
	},
	/*
	 * T8152 (M6). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be
	 * as found on T8140
	 * Controller: third party: notes on J873g; how many lines there are has not been published for this
	 * SoC
	 * Allow-list: not listed: nobody has measured it on hardware
	 */
	{
		.soc = "T8152",
		.compatible = "apple,t8152-aic3",
		.machine = "apple,t8152",
		.chip_id = 0x8152,
		.aic_generation = 3,
		.standing = AICPROBE_INFERENCE,
		.listed = false,
		.online_refresh = false,
		.default_acceptor = 0,
		.values = {
			/* inference: as measured on T8140 */
			[0] = { .class_of = AICPROBE_NORMAL, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[1] = { .class_of = AICPROBE_PREFERRED, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[2] = { .class_of = AICPROBE_FALLBACK, .standing = AICPROBE_INFERENCE },
			/* inference: as measured on T8140 */
			[3] = { .class_of = AICPROBE_NEVER, .standing = AICPROBE_INFERENCE },
		},
		.cpus = aicprobe_cpus_t8152,
		.nr_cpus = sizeof(aicprobe_cpus_t8152) / sizeof(aicprobe_cpus_t8152[0]),
	},
	{ .soc = NULL },
};

#endif
