// Particles of ropes and cloth. FIRST_LINKED is the id of the first of LINKED_COUNT particles; without any it is not defined.

#ifdef FIRST_LINKED
bool is_linked(uint id) { return id - FIRST_LINKED < LINKED_COUNT; }
#else
bool is_linked(uint id) { return false; }
#endif
