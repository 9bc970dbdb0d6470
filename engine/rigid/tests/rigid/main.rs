//! Bodies against closed forms: free motion, contacts, stacks, joints, and every kind of shape.

mod free;
mod joints;
mod pairs;
mod shapes;
mod stacks;
mod support;
