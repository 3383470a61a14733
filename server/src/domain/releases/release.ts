/** The release of this server, which clients that get their code from it have to keep up with. */
import server from "../../../package.json" with { type: "json" };

export const release: string = server.version;
