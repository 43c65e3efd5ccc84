// The search runs in a worker, and browsers start none for pages opened as files. There its script runs in a hidden
// frame instead, with the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const base = new URL(url, location.href);
      const inside = frame.contentWindow;
      const load = source =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          script.src = new URL(source, base);
          script.onload = resolve;
          script.onerror = reject;
          inside.document.documentElement.append(script);
        });
      inside.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => load(source)),
        Promise.resolve());
      inside.postMessage = data => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.send = data => {
        const event = new inside.MessageEvent("message", { data });
        inside.dispatchEvent(event);
      };
      load(base.href).then(() => {
        this.ready = true;
        this.waiting.splice(0).forEach(this.send);
      });
    }
    postMessage(data) {
      if (this.ready) this.send(data);
      else this.waiting.push(data);
    }
    terminate() {}
  };
}
