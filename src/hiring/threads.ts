/** The module of the threads in which the projector's thread has builds applied. */
export const groupApplierThreadUrl = new URL('./group-applier.thread.js', import.meta.url);
