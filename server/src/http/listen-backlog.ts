/**
 * How many connections may wait until the process accepts them. When ten thousand clients come back at once, more than Node's 511 arrive
 * between two turns of the event loop. Those that find no room believe that they are connected, and repeat their request only after
 * pauses that double each time, up to minutes. The system lowers the number to `net.core.somaxconn`.
 */
export const listenBacklog = 65_535;
