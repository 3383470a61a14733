// CommonJS programs load the package with a dynamic import.
import("@skein/api").then(({ createClient, sendMessage }) => console.log(typeof createClient, sendMessage.path));
