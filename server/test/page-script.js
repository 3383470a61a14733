/**
 * What runs in the page of browser.ts, before any message is there. It notices what the page's policy forbids, lets a
 * link be followed as far as it names a place and no further, and looks at what the browser made of the messages.
 */
globalThis.watched = {
  noticed: [],

  begin() {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) => {
      this.noticed.push(`policy: ${effectiveDirective} ${blockedURI} ${sample}`);
    });
    navigation.addEventListener("navigate", (event) => event.preventDefault());
  },

  /** Puts messages in as a client does. */
  add(messages) {
    for (const html of messages) {
      const message = document.createElement("div");
      message.className = "message";
      message.innerHTML = html;
      document.querySelector("#client").append(message);
    }
  },

  /** Touches everything that could have a handler, and follows every link. */
  pressAll() {
    for (const element of document.querySelectorAll(".message *")) {
      for (const type of ["mouseover", "focus", "toggle", "pointerenter", "animationstart"])
        element.dispatchEvent(new Event(type));
    }
    for (const link of document.querySelectorAll(".message a, .message area")) link.click();
  },

  /** Every picture came or did not, and the page was drawn: what was to run has run, what was to be asked for is. */
  async settled() {
    await Promise.allSettled([...document.images].map((image) => image.decode()));
    for (let frames = 0; frames < 2; frames++) await new Promise((resume) => requestAnimationFrame(resume));
    await new Promise((resume) => setTimeout(resume));
  },

  /** What is in the document that the dialect does not have. */
  inspect({ count, elements, schemes, places }) {
    const problems = [];
    const all = [...document.querySelectorAll("main > .message"), ...document.querySelectorAll("#client > .message")];
    if (all.length !== 2 * count || document.querySelector("main").children.length !== count)
      problems.push("a message has left its place");
    if (document.body.children.length !== 2) problems.push("something stands beside the messages");
    for (const message of all) {
      // Some clients write out what they have read, and read it again.
      const copy = new DOMParser().parseFromString(`<div>${message.innerHTML}</div>`, "text/html").body;
      for (const inside of [message, copy.firstElementChild])
        problems.push(...this.inspectMessage(inside, elements, schemes, places));
      if (copy.children.length !== 1) problems.push(`left its place when copied: ${message.innerHTML}`);
    }
    return problems;
  },

  inspectMessage(message, elements, schemes, places) {
    const problems = [];
    const complain = (what, element) => problems.push(`${what}: ${element.outerHTML.slice(0, 300)}`);
    const nodes = document.createTreeWalker(message, NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_PROCESSING_INSTRUCTION);
    if (nodes.nextNode()) complain("comment", message);
    for (const element of message.querySelectorAll("*")) {
      const allowed = elements[element.localName];
      if (!allowed) complain(`element ${element.localName}`, element);
      for (const { name, value } of element.attributes) {
        if (allowed && !allowed.includes(name)) complain(`attribute ${name}`, element);
        if (name === "href" && !this.isPlace(value, schemes)) complain("scheme", element);
        if (name === "src" && !this.isOwn(value, places)) complain("source", element);
        if (name === "style")
          for (const [, url] of value.matchAll(/url\(\s*["']?([^"')]*)/gi))
            if (!this.isOwn(url, places)) complain("style", element);
      }
    }
    return problems;
  },

  /** One that is no address at all leads nowhere. */
  isPlace: (href, schemes) =>
    !URL.canParse(href, document.baseURI) || schemes.includes(new URL(href, document.baseURI).protocol.slice(0, -1)),

  isOwn: (source, places) => {
    const url = URL.parse(source, document.baseURI);
    return url !== null && places.some((place) => url.href.startsWith(place));
  },
};
globalThis.watched.begin();
