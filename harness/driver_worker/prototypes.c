/* Generated from the tables by python -m tests.renew; do not edit. */
#include "prototypes.h"

static uint64_t make_i(function_without_type *f, const uint64_t *w) {
    (void)w;
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void))f)();
}
static uint64_t make_ip(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *))f)((void *)(uintptr_t)w[0]);
}
static uint64_t make_ipi(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, int32_t))f)((void *)(uintptr_t)w[0], (int32_t)w[1]);
}
static uint64_t make_ipipp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, int32_t, void *, void *))f)((void *)(uintptr_t)w[0], (int32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ipp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1]);
}
static uint64_t make_ippi(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, int32_t))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (int32_t)w[2]);
}
static uint64_t make_ippipupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, int32_t, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (int32_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ippp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2]);
}
static uint64_t make_ippppppppppppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10], (void *)(uintptr_t)w[11], (uint32_t)w[12], (void *)(uintptr_t)w[13], (void *)(uintptr_t)w[14], (void *)(uintptr_t)w[15]);
}
static uint64_t make_ippppppppppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9], (uint32_t)w[10], (void *)(uintptr_t)w[11], (void *)(uintptr_t)w[12]);
}
static uint64_t make_ippppppppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (uint32_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10], (void *)(uintptr_t)w[11]);
}
static uint64_t make_ipppppppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (uint32_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10]);
}
static uint64_t make_ippppppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (uint32_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8]);
}
static uint64_t make_ippppppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (uint32_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9]);
}
static uint64_t make_ipppppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ippppupppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, uint32_t, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (uint32_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10], (void *)(uintptr_t)w[11]);
}
static uint64_t make_ippppuppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, void *, uint32_t, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (uint32_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9]);
}
static uint64_t make_ipppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ipppuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ipppuupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ipppwupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, void *, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint64_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ippupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ippuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ippuppppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ippuppppppppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *, void *, void *, void *, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10], (uint32_t)w[11], (void *)(uintptr_t)w[12], (void *)(uintptr_t)w[13]);
}
static uint64_t make_ippupppppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (uint32_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10]);
}
static uint64_t make_ippupppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (uint32_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8]);
}
static uint64_t make_ippuupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ippuwupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint32_t, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (uint64_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ippwp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, void *, uint64_t, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ipup(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2]);
}
static uint64_t make_ipupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ipuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ipupppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ipupppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ipuppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ipuppupppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, uint32_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8]);
}
static uint64_t make_ipuppuupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ipuppwupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint64_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ipupupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ipupupupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, uint32_t, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ipupuupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ipupwupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, void *, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (uint64_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ipuuppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ipuwppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint32_t, uint64_t, void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (uint32_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ipwup(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ipwupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ipwuupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ipwwppp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(void *, uint64_t, uint64_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_iup(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(uint32_t, void *))f)((uint32_t)w[0], (void *)(uintptr_t)w[1]);
}
static uint64_t make_iupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(uint32_t, void *, void *))f)((uint32_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2]);
}
static uint64_t make_iuppupp(function_without_type *f, const uint64_t *w) {
    return (uint64_t)((int32_t(CALLING_CONVENTION *)(uint32_t, void *, void *, uint32_t, void *, void *))f)((uint32_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_pp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *))f)((void *)(uintptr_t)w[0]);
}
static uint64_t make_ppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1]);
}
static uint64_t make_pppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2]);
}
static uint64_t make_ppppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_pppppup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, void *, void *, uint32_t, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ppppup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, void *, uint32_t, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ppppwpp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, void *, uint64_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (uint64_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_pppupp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_pppuwppppuppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint32_t, uint64_t, void *, void *, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (uint64_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (uint32_t)w[8], (void *)(uintptr_t)w[9], (void *)(uintptr_t)w[10], (void *)(uintptr_t)w[11]);
}
static uint64_t make_pppuwppuppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint32_t, uint64_t, void *, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint32_t)w[2], (uint64_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (uint32_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9]);
}
static uint64_t make_pppwp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint64_t, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_pppwppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint64_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_pppwpppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, void *, uint64_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1], (uint64_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ppuppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ppupppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ppuppppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6]);
}
static uint64_t make_ppuppupppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, void *, void *, uint32_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8]);
}
static uint64_t make_ppuupuppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, uint32_t, void *, uint32_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ppuuup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint32_t, uint32_t, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint32_t)w[1], (uint32_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ppwpp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ppwppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ppwpppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ppwpppppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, void *, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7]);
}
static uint64_t make_ppwpppppppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, void *, void *, void *, void *, void *, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5], (void *)(uintptr_t)w[6], (void *)(uintptr_t)w[7], (void *)(uintptr_t)w[8], (void *)(uintptr_t)w[9]);
}
static uint64_t make_ppwpu(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, void *, uint32_t))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (void *)(uintptr_t)w[2], (uint32_t)w[3]);
}
static uint64_t make_ppwuiup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, int32_t, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (int32_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ppwup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_ppwupp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (void *)(uintptr_t)w[4]);
}
static uint64_t make_ppwupup(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, void *, uint32_t, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (void *)(uintptr_t)w[3], (uint32_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_ppwuupp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(void *, uint64_t, uint32_t, uint32_t, void *, void *))f)((void *)(uintptr_t)w[0], (uint64_t)w[1], (uint32_t)w[2], (uint32_t)w[3], (void *)(uintptr_t)w[4], (void *)(uintptr_t)w[5]);
}
static uint64_t make_puppp(function_without_type *f, const uint64_t *w) {
    return (uintptr_t)((void *(CALLING_CONVENTION *)(uint32_t, void *, void *, void *))f)((uint32_t)w[0], (void *)(uintptr_t)w[1], (void *)(uintptr_t)w[2], (void *)(uintptr_t)w[3]);
}
static uint64_t make_vpp(function_without_type *f, const uint64_t *w) {
    ((void(CALLING_CONVENTION *)(void *, void *))f)((void *)(uintptr_t)w[0], (void *)(uintptr_t)w[1]);
    return 0;
}

const struct signature signatures[] = {
    {"i", make_i},
    {"ip", make_ip},
    {"ipi", make_ipi},
    {"ipipp", make_ipipp},
    {"ipp", make_ipp},
    {"ippi", make_ippi},
    {"ippipupp", make_ippipupp},
    {"ippp", make_ippp},
    {"ippppppppppppuppp", make_ippppppppppppuppp},
    {"ippppppppppupp", make_ippppppppppupp},
    {"ippppppppuppp", make_ippppppppuppp},
    {"ipppppppuppp", make_ipppppppuppp},
    {"ippppppupp", make_ippppppupp},
    {"ippppppuppp", make_ippppppuppp},
    {"ipppppupp", make_ipppppupp},
    {"ippppupppuppp", make_ippppupppuppp},
    {"ippppuppupp", make_ippppuppupp},
    {"ipppupp", make_ipppupp},
    {"ipppuppp", make_ipppuppp},
    {"ipppuupp", make_ipppuupp},
    {"ipppwupp", make_ipppwupp},
    {"ippupp", make_ippupp},
    {"ippuppp", make_ippuppp},
    {"ippuppppp", make_ippuppppp},
    {"ippuppppppppupp", make_ippuppppppppupp},
    {"ippupppppupp", make_ippupppppupp},
    {"ippupppupp", make_ippupppupp},
    {"ippuupp", make_ippuupp},
    {"ippuwupp", make_ippuwupp},
    {"ippwp", make_ippwp},
    {"ipup", make_ipup},
    {"ipupp", make_ipupp},
    {"ipuppp", make_ipuppp},
    {"ipupppp", make_ipupppp},
    {"ipupppupp", make_ipupppupp},
    {"ipuppupp", make_ipuppupp},
    {"ipuppupppp", make_ipuppupppp},
    {"ipuppuupp", make_ipuppuupp},
    {"ipuppwupp", make_ipuppwupp},
    {"ipupupp", make_ipupupp},
    {"ipupupupp", make_ipupupupp},
    {"ipupuupp", make_ipupuupp},
    {"ipupwupp", make_ipupwupp},
    {"ipuuppp", make_ipuuppp},
    {"ipuwppupp", make_ipuwppupp},
    {"ipwup", make_ipwup},
    {"ipwupp", make_ipwupp},
    {"ipwuupp", make_ipwuupp},
    {"ipwwppp", make_ipwwppp},
    {"iup", make_iup},
    {"iupp", make_iupp},
    {"iuppupp", make_iuppupp},
    {"pp", make_pp},
    {"ppp", make_ppp},
    {"pppp", make_pppp},
    {"ppppp", make_ppppp},
    {"pppppup", make_pppppup},
    {"ppppup", make_ppppup},
    {"ppppwpp", make_ppppwpp},
    {"pppupp", make_pppupp},
    {"pppuwppppuppp", make_pppuwppppuppp},
    {"pppuwppuppp", make_pppuwppuppp},
    {"pppwp", make_pppwp},
    {"pppwppp", make_pppwppp},
    {"pppwpppp", make_pppwpppp},
    {"ppuppp", make_ppuppp},
    {"ppupppp", make_ppupppp},
    {"ppuppppp", make_ppuppppp},
    {"ppuppupppp", make_ppuppupppp},
    {"ppuupuppp", make_ppuupuppp},
    {"ppuuup", make_ppuuup},
    {"ppwpp", make_ppwpp},
    {"ppwppp", make_ppwppp},
    {"ppwpppp", make_ppwpppp},
    {"ppwpppppp", make_ppwpppppp},
    {"ppwpppppppp", make_ppwpppppppp},
    {"ppwpu", make_ppwpu},
    {"ppwuiup", make_ppwuiup},
    {"ppwup", make_ppwup},
    {"ppwupp", make_ppwupp},
    {"ppwupup", make_ppwupup},
    {"ppwuupp", make_ppwuupp},
    {"puppp", make_puppp},
    {"vpp", make_vpp},
};
const size_t signature_count = sizeof signatures / sizeof *signatures;

struct cl_buffer_region {
    size_t origin;
    size_t size;
};
static const size_t cl_buffer_region_offsets[] = {offsetof(struct cl_buffer_region, origin), offsetof(struct cl_buffer_region, size), SIZE_MAX};
struct cl_bus_address_amd {
    ALIGNED_8 int64_t surfbusaddress;
    ALIGNED_8 int64_t signalbusaddress;
};
static const size_t cl_bus_address_amd_offsets[] = {offsetof(struct cl_bus_address_amd, surfbusaddress), offsetof(struct cl_bus_address_amd, signalbusaddress), SIZE_MAX};
struct cl_device_integer_dot_product_acceleration_properties {
    uint32_t signed_accelerated;
    uint32_t unsigned_accelerated;
    uint32_t mixed_signedness_accelerated;
    uint32_t accumulating_saturating_signed_accelerated;
    uint32_t accumulating_saturating_unsigned_accelerated;
    uint32_t accumulating_saturating_mixed_signedness_accelerated;
};
static const size_t cl_device_integer_dot_product_acceleration_properties_offsets[] = {offsetof(struct cl_device_integer_dot_product_acceleration_properties, signed_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties, unsigned_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties, mixed_signedness_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties, accumulating_saturating_signed_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties, accumulating_saturating_unsigned_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties, accumulating_saturating_mixed_signedness_accelerated), SIZE_MAX};
struct cl_device_integer_dot_product_acceleration_properties_khr {
    uint32_t signed_accelerated;
    uint32_t unsigned_accelerated;
    uint32_t mixed_signedness_accelerated;
    uint32_t accumulating_saturating_signed_accelerated;
    uint32_t accumulating_saturating_unsigned_accelerated;
    uint32_t accumulating_saturating_mixed_signedness_accelerated;
};
static const size_t cl_device_integer_dot_product_acceleration_properties_khr_offsets[] = {offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, signed_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, unsigned_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, mixed_signedness_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, accumulating_saturating_signed_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, accumulating_saturating_unsigned_accelerated), offsetof(struct cl_device_integer_dot_product_acceleration_properties_khr, accumulating_saturating_mixed_signedness_accelerated), SIZE_MAX};
struct cl_device_pci_bus_info_khr {
    uint32_t pci_domain;
    uint32_t pci_bus;
    uint32_t pci_device;
    uint32_t pci_function;
};
static const size_t cl_device_pci_bus_info_khr_offsets[] = {offsetof(struct cl_device_pci_bus_info_khr, pci_domain), offsetof(struct cl_device_pci_bus_info_khr, pci_bus), offsetof(struct cl_device_pci_bus_info_khr, pci_device), offsetof(struct cl_device_pci_bus_info_khr, pci_function), SIZE_MAX};
struct cl_image_desc {
    uint32_t image_type;
    size_t image_width;
    size_t image_height;
    size_t image_depth;
    size_t image_array_size;
    size_t image_row_pitch;
    size_t image_slice_pitch;
    uint32_t num_mip_levels;
    uint32_t num_samples;
    void *mem_object;
};
static const size_t cl_image_desc_offsets[] = {offsetof(struct cl_image_desc, image_type), offsetof(struct cl_image_desc, image_width), offsetof(struct cl_image_desc, image_height), offsetof(struct cl_image_desc, image_depth), offsetof(struct cl_image_desc, image_array_size), offsetof(struct cl_image_desc, image_row_pitch), offsetof(struct cl_image_desc, image_slice_pitch), offsetof(struct cl_image_desc, num_mip_levels), offsetof(struct cl_image_desc, num_samples), offsetof(struct cl_image_desc, mem_object), SIZE_MAX};
struct cl_image_format {
    uint32_t image_channel_order;
    uint32_t image_channel_data_type;
};
static const size_t cl_image_format_offsets[] = {offsetof(struct cl_image_format, image_channel_order), offsetof(struct cl_image_format, image_channel_data_type), SIZE_MAX};
struct cl_kernel_allocation_info_intel {
    void *base;
    size_t size;
    uint32_t type;
    int32_t arg_index;
};
static const size_t cl_kernel_allocation_info_intel_offsets[] = {offsetof(struct cl_kernel_allocation_info_intel, base), offsetof(struct cl_kernel_allocation_info_intel, size), offsetof(struct cl_kernel_allocation_info_intel, type), offsetof(struct cl_kernel_allocation_info_intel, arg_index), SIZE_MAX};
struct cl_mem_ext_host_ptr {
    uint32_t allocation_type;
    uint32_t host_cache_policy;
};
static const size_t cl_mem_ext_host_ptr_offsets[] = {offsetof(struct cl_mem_ext_host_ptr, allocation_type), offsetof(struct cl_mem_ext_host_ptr, host_cache_policy), SIZE_MAX};
struct cl_motion_estimation_desc_intel {
    uint32_t mb_block_type;
    uint32_t subpixel_mode;
    uint32_t sad_adjust_mode;
    uint32_t search_path_type;
};
static const size_t cl_motion_estimation_desc_intel_offsets[] = {offsetof(struct cl_motion_estimation_desc_intel, mb_block_type), offsetof(struct cl_motion_estimation_desc_intel, subpixel_mode), offsetof(struct cl_motion_estimation_desc_intel, sad_adjust_mode), offsetof(struct cl_motion_estimation_desc_intel, search_path_type), SIZE_MAX};
struct cl_mutable_dispatch_arg_khr {
    uint32_t arg_index;
    size_t arg_size;
    void *arg_value;
};
static const size_t cl_mutable_dispatch_arg_khr_offsets[] = {offsetof(struct cl_mutable_dispatch_arg_khr, arg_index), offsetof(struct cl_mutable_dispatch_arg_khr, arg_size), offsetof(struct cl_mutable_dispatch_arg_khr, arg_value), SIZE_MAX};
struct cl_mutable_dispatch_config_khr {
    void *command;
    uint32_t num_args;
    uint32_t num_svm_args;
    uint32_t num_exec_infos;
    uint32_t work_dim;
    void *arg_list;
    void *arg_svm_list;
    void *exec_info_list;
    void *global_work_offset;
    void *global_work_size;
    void *local_work_size;
};
static const size_t cl_mutable_dispatch_config_khr_offsets[] = {offsetof(struct cl_mutable_dispatch_config_khr, command), offsetof(struct cl_mutable_dispatch_config_khr, num_args), offsetof(struct cl_mutable_dispatch_config_khr, num_svm_args), offsetof(struct cl_mutable_dispatch_config_khr, num_exec_infos), offsetof(struct cl_mutable_dispatch_config_khr, work_dim), offsetof(struct cl_mutable_dispatch_config_khr, arg_list), offsetof(struct cl_mutable_dispatch_config_khr, arg_svm_list), offsetof(struct cl_mutable_dispatch_config_khr, exec_info_list), offsetof(struct cl_mutable_dispatch_config_khr, global_work_offset), offsetof(struct cl_mutable_dispatch_config_khr, global_work_size), offsetof(struct cl_mutable_dispatch_config_khr, local_work_size), SIZE_MAX};
struct cl_mutable_dispatch_exec_info_khr {
    uint32_t param_name;
    size_t param_value_size;
    void *param_value;
};
static const size_t cl_mutable_dispatch_exec_info_khr_offsets[] = {offsetof(struct cl_mutable_dispatch_exec_info_khr, param_name), offsetof(struct cl_mutable_dispatch_exec_info_khr, param_value_size), offsetof(struct cl_mutable_dispatch_exec_info_khr, param_value), SIZE_MAX};
struct cl_name_version {
    uint32_t version;
    char name[64];
};
static const size_t cl_name_version_offsets[] = {offsetof(struct cl_name_version, version), offsetof(struct cl_name_version, name), SIZE_MAX};
struct cl_name_version_khr {
    uint32_t version;
    char name[64];
};
static const size_t cl_name_version_khr_offsets[] = {offsetof(struct cl_name_version_khr, version), offsetof(struct cl_name_version_khr, name), SIZE_MAX};

const struct structure structures[] = {
    {"cl_buffer_region", sizeof(struct cl_buffer_region), cl_buffer_region_offsets},
    {"cl_bus_address_amd", sizeof(struct cl_bus_address_amd), cl_bus_address_amd_offsets},
    {"cl_device_integer_dot_product_acceleration_properties", sizeof(struct cl_device_integer_dot_product_acceleration_properties), cl_device_integer_dot_product_acceleration_properties_offsets},
    {"cl_device_integer_dot_product_acceleration_properties_khr", sizeof(struct cl_device_integer_dot_product_acceleration_properties_khr), cl_device_integer_dot_product_acceleration_properties_khr_offsets},
    {"cl_device_pci_bus_info_khr", sizeof(struct cl_device_pci_bus_info_khr), cl_device_pci_bus_info_khr_offsets},
    {"cl_image_desc", sizeof(struct cl_image_desc), cl_image_desc_offsets},
    {"cl_image_format", sizeof(struct cl_image_format), cl_image_format_offsets},
    {"cl_kernel_allocation_info_intel", sizeof(struct cl_kernel_allocation_info_intel), cl_kernel_allocation_info_intel_offsets},
    {"cl_mem_ext_host_ptr", sizeof(struct cl_mem_ext_host_ptr), cl_mem_ext_host_ptr_offsets},
    {"cl_motion_estimation_desc_intel", sizeof(struct cl_motion_estimation_desc_intel), cl_motion_estimation_desc_intel_offsets},
    {"cl_mutable_dispatch_arg_khr", sizeof(struct cl_mutable_dispatch_arg_khr), cl_mutable_dispatch_arg_khr_offsets},
    {"cl_mutable_dispatch_config_khr", sizeof(struct cl_mutable_dispatch_config_khr), cl_mutable_dispatch_config_khr_offsets},
    {"cl_mutable_dispatch_exec_info_khr", sizeof(struct cl_mutable_dispatch_exec_info_khr), cl_mutable_dispatch_exec_info_khr_offsets},
    {"cl_name_version", sizeof(struct cl_name_version), cl_name_version_offsets},
    {"cl_name_version_khr", sizeof(struct cl_name_version_khr), cl_name_version_khr_offsets},
};
const size_t structure_count = sizeof structures / sizeof *structures;
