declare module "virtual:samples" {
  const samples: Record<string, string>;
  export default samples;
}
