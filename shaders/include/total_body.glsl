// Membership of particles in total bodies, for stages that read identities in scenes with such bodies alone.

bool in_total_body(uint p) {
#ifdef FIRST_TOTAL
    uvec4 self = identity(p);
    return is_total(id_of(self));
#else
    return false;
#endif
}
