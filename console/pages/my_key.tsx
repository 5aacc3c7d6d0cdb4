import { Page } from "../components/page.tsx";
export function page() {
  return <Page title="my_key">{null}</Page>;
}
