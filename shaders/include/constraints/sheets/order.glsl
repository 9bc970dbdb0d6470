// Contacts that act one after the other, in the order of their keys: a contact waits for those before it that share a particle which can
// move; all others act at once. One workgroup of SHEET_GROUP. A stage defines, before it includes this file, `bool acts(uint contact)`,
// what there is to do at present, and `void act(uint contact)`, and reads inverse masses from the velocities.

shared uint sheet_listed; // contacts that act in this sweep
shared uint sheet_waits;  // contacts that wait for their turn

const uint TURN_ACTED = 0x80000000u; // mark of a contact that has acted in this turn

void settle_all() {
    memoryBarrierBuffer();
    barrier();
}

// Finds members and key of a contact in the list; false if it has had its turn.
bool is_waiting(uint i, out uvec4 members, out uvec2 key) {
    uint contact = meeting_active(i);
    if (contact == NOTHING) return false;
    bool edges;
    members = members_of(contact & ~TURN_ACTED, edges);
    key = meeting_key(contact & ~TURN_ACTED);
    return true;
}

// Lets those contacts of a list act whose turn it is; returns how many are left.
uint take_turns(uint listed) {
    uint lane = gl_LocalInvocationIndex;
    uvec4 members;
    uvec2 key;
    for (uint i = lane; i < listed; i += SHEET_GROUP) {
        if (!is_waiting(i, members, key)) continue;
        for (uint m = 0u; m < 4u; ++m) if (can_move(members[m])) atomicMin(meeting_turn(2u * members[m]), key.x);
    }
    settle_all();
    for (uint i = lane; i < listed; i += SHEET_GROUP) {
        if (!is_waiting(i, members, key)) continue;
        for (uint m = 0u; m < 4u; ++m) {
            if (can_move(members[m]) && meeting_turn(2u * members[m]) == key.x) atomicMin(meeting_turn(2u * members[m] + 1u), key.y);
        }
    }
    if (lane == 0u) sheet_waits = 0u;
    settle_all();
    for (uint i = lane; i < listed; i += SHEET_GROUP) {
        if (!is_waiting(i, members, key)) continue;
        bool first = true;
        for (uint m = 0u; m < 4u; ++m) {
            uint at = 2u * members[m];
            first = first && (!can_move(members[m]) || uvec2(meeting_turn(at), meeting_turn(at + 1u)) == key);
        }
        if (first) {
            uint contact = meeting_active(i);
            act(contact);
            meeting_active(i) = contact | TURN_ACTED;
        } else {
            atomicAdd(sheet_waits, 1u);
        }
    }
    settle_all();
    for (uint i = lane; i < listed; i += SHEET_GROUP) {
        if (!is_waiting(i, members, key)) continue;
        for (uint m = 0u; m < 4u; ++m) {
            meeting_turn(2u * members[m]) = NOTHING;
            meeting_turn(2u * members[m] + 1u) = NOTHING;
        }
        if ((meeting_active(i) & TURN_ACTED) != 0u) meeting_active(i) = NOTHING;
    }
    settle_all();
    return sheet_waits;
}

// Lists the contacts that have something to do; returns their number.
uint list_active(uint contacts) {
    if (gl_LocalInvocationIndex == 0u) sheet_listed = 0u;
    settle_all();
    for (uint contact = gl_LocalInvocationIndex; contact < contacts; contact += SHEET_GROUP) {
        if (!acts(contact)) continue;
        uint slot = atomicAdd(sheet_listed, 1u);
        meeting_active(slot) = contact;
    }
    settle_all();
    return sheet_listed;
}
